#include "global_state.h"

#include <dlfcn.h>
#include <pybind11/pybind11.h>

#include <cstdio>
#include <cstring>

#include "constant.h"
#include "errors.h"

namespace py = pybind11;

namespace framejit {

namespace {

// The thread's included and excluded dispatch keys: c10's thread-local variable, 16 bytes, found
// by its exported name in the library that torch has already loaded. Null where there is none.
class ThreadDispatchKeys {
public:
    static const uint64_t* find() {
        static void* library = open();
        static thread_local const uint64_t* words = nullptr;
        if (words == nullptr && library != nullptr) {
            words = static_cast<const uint64_t*>(
                dlsym(library, "_ZN3c104impl26raw_local_dispatch_key_setE"));
        }
        return words;
    }

private:
    static void* open() {
        Ref torch = Ref::steal(PyImport_ImportModule("torch"));
        Ref file = torch ? Ref::steal(PyObject_GetAttrString(torch.get(), "__file__")) : Ref();
        const char* path = file ? PyUnicode_AsUTF8(file.get()) : nullptr;
        if (path == nullptr) {
            PyErr_Clear();
            return nullptr;
        }
        const std::string text = path;
        const std::string library = text.substr(0, text.rfind('/')) + "/lib/libc10.so";
        return dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    }
};

bool same_value(PyObject* value, PyObject* expected) {
    if (value == expected) return true;
    if (is_constant(expected)) return same_constant(value, expected);
    const int same = PyObject_RichCompareBool(value, expected, Py_EQ);
    if (same < 0) PyErr_Clear();
    return same == 1;
}

}  // namespace

Ref GlobalState::Item::read() const {
    if (direct != nullptr) return Ref::steal(direct(self, nullptr));
    if (dict) {
        PyObject* value = PyDict_GetItemWithError(dict.get(), key.get());
        if (value == nullptr && !PyErr_Occurred()) PyErr_SetObject(PyExc_KeyError, key.get());
        return Ref::borrow(value);
    }
    if (argument) return Ref::steal(PyObject_CallOneArg(callable.get(), argument.get()));
    return Ref::steal(PyObject_CallNoArgs(callable.get()));
}

void GlobalState::add(Item item, std::vector<Item>* items) {
    PyObject* callable = item.callable.get();
    if (callable != nullptr && !item.argument && PyCFunction_Check(callable) &&
        (PyCFunction_GET_FLAGS(callable) & ~METH_COEXIST) == METH_NOARGS) {
        item.direct = PyCFunction_GET_FUNCTION(callable);
        item.self = PyCFunction_GET_SELF(callable);
    }
    item.expected = item.read();
    if (!item.expected) throw py::error_already_set();
    items->push_back(std::move(item));
}

bool GlobalState::add_call(const char* name, PyObject* owner, const char* attribute,
                           PyObject* argument, std::vector<Item>* items) {
    Item item;
    item.name = name;
    item.callable = Ref::steal(PyObject_GetAttrString(owner, attribute));
    item.argument = Ref::borrow(argument);
    if (!item.callable || !item.read()) {
        PyErr_Clear();
        return false;
    }
    add(std::move(item), items);
    return true;
}

void GlobalState::capture_torch(PyObject* torch_module) {
    py::module_ torch = py::reinterpret_borrow<py::module_>(torch_module);
    py::object core = torch.attr("_C");
    PyObject* c = core.ptr();

    bool covers_autocast = false;
    if (py::hasattr(core, "_dynamo")) {
        py::object guards = core.attr("_dynamo").attr("guards");
        if (py::hasattr(guards, "GlobalStateGuard")) {
            py::object guard = guards.attr("GlobalStateGuard")();
            torch_guard_ = Ref::borrow(guard.ptr());
            // Added in torch 2.5, as was the text of what the guard holds.
            covers_autocast = py::hasattr(guard, "__getstate__") &&
                              py::str(guard.attr("__getstate__")()).cast<std::string>().find(
                                  "autocast_state") != std::string::npos;
            py::object check = py::type::of(guard).attr("check");
            if (Py_IS_TYPE(check.ptr(), &PyMethodDescr_Type)) {
                PyMethodDef* def =
                    reinterpret_cast<PyMethodDescrObject*>(check.ptr())->d_method;
                if ((def->ml_flags & ~METH_COEXIST) == METH_NOARGS) torch_check_ = def->ml_meth;
            }
        }
    }
    if (torch_check_ == nullptr) torch_guard_ = Ref();
    covers_autocast = covers_autocast && torch_guard_;

    std::vector<Item>* covered = torch_guard_ ? &covered_ : &items_;
    add_call("grad mode", torch_module, "is_grad_enabled", nullptr, covered);
    add_call("default dtype", torch_module, "get_default_dtype", nullptr, covered);
    add_call("number of threads", torch_module, "get_num_threads", nullptr, covered);
    std::vector<Item>* autocast = covers_autocast ? &covered_ : &items_;
    struct Autocast {
        const char *device, *enabled, *enabled_before, *dtype, *dtype_before;
    };
    // Before torch 2.4 each device had functions of its own.
    for (const Autocast& each : {Autocast{"cpu", "autocast on CPU", "is_autocast_cpu_enabled",
                                          "autocast dtype on CPU", "get_autocast_cpu_dtype"},
                                 Autocast{"cuda", "autocast on CUDA", "is_autocast_enabled",
                                          "autocast dtype on CUDA", "get_autocast_gpu_dtype"}}) {
        py::str device(each.device);
        if (!add_call(each.enabled, torch_module, "is_autocast_enabled", device.ptr(), autocast)) {
            add_call(each.enabled, torch_module, each.enabled_before, nullptr, autocast);
        }
        if (!add_call(each.dtype, torch_module, "get_autocast_dtype", device.ptr(), autocast)) {
            add_call(each.dtype, torch_module, each.dtype_before, nullptr, autocast);
        }
    }
    add_call("autocast cache", torch_module, "is_autocast_cache_enabled", nullptr, autocast);
    add_call("deterministic algorithms", c, "_get_deterministic_algorithms", nullptr, covered);
    add_call("deterministic algorithms warn only", c, "_get_deterministic_algorithms_warn_only",
             nullptr, covered);
    add_call("TF32 in cuBLAS", c, "_get_cublas_allow_tf32", nullptr, covered);
    add_call("reduced fp16 reductions", c, "_get_cublas_allow_fp16_reduced_precision_reduction",
             nullptr, covered);
    add_call("reduced bf16 reductions", c, "_get_cublas_allow_bf16_reduced_precision_reduction",
             nullptr, covered);
    add_call("torch function", c, "_is_torch_function_enabled", nullptr, covered);

    add_call("inference mode", torch_module, "is_inference_mode_enabled", nullptr, &items_);
    add_call("torch function modes", c, "_len_torch_function_stack", nullptr, &items_);
    add_call("torch dispatch modes", c, "_len_torch_dispatch_stack", nullptr, &items_);
    if (py::hasattr(core, "_functorch")) {
        add_call("functorch level", core.attr("_functorch").ptr(), "peek_interpreter_stack",
                 nullptr, &items_);
    }
    if (py::hasattr(core, "_autograd")) {
        add_call("saved-tensor hooks enabled", core.attr("_autograd").ptr(),
                 "_saved_tensors_hooks_is_enabled", nullptr, &items_);
        add_call("saved-tensor hooks", core.attr("_autograd").ptr(),
                 "_top_saved_tensors_default_hooks", Py_True, &items_);
    }
    py::dict device_module = py::module_::import("torch.utils._device").attr("__dict__");
    Item device;
    device.name = "default device";
    device.dict = Ref::borrow(device_module.ptr());
    device.key = Ref::steal(PyUnicode_InternFromString("CURRENT_DEVICE"));
    add(std::move(device), &items_);

    // The modes themselves, not only how many: each by identity.
    struct Stack {
        const char* name;
        const char* length;
        const char* at;
    };
    for (const Stack& stack : {Stack{"torch function mode", "_len_torch_function_stack",
                                     "_get_function_stack_at"},
                               Stack{"torch dispatch mode", "_len_torch_dispatch_stack",
                                     "_get_dispatch_stack_at"}}) {
        const int depth = core.attr(stack.length)().cast<int>();
        for (int i = 0; i < depth; ++i) {
            add_call(stack.name, c, stack.at, py::int_(i).ptr(), &items_);
        }
    }

    if (const uint64_t* words = ThreadDispatchKeys::find()) {
        reads_dispatch_keys_ = true;
        std::memcpy(dispatch_keys_, words, sizeof dispatch_keys_);
    } else {
        add_call("included dispatch keys", c, "_dispatch_tls_local_include_set", nullptr, &items_);
        add_call("excluded dispatch keys", c, "_dispatch_tls_local_exclude_set", nullptr, &items_);
    }
}

std::shared_ptr<const GlobalState> GlobalState::capture(PyObject* getters) {
    auto state = std::make_shared<GlobalState>();
    PyObject* modules = PyImport_GetModuleDict();
    if (PyObject* torch = PyDict_GetItemString(modules, "torch")) state->capture_torch(torch);
    for (auto [name, callable] : py::reinterpret_borrow<py::dict>(getters)) {
        if (!PyUnicode_Check(name.ptr()) || !PyCallable_Check(callable.ptr())) {
            PyErr_SetString(PyExc_TypeError,
                            "global state is a dict of names to zero-argument callables");
            throw py::error_already_set();
        }
        Item item;
        item.name = name.cast<std::string>();
        item.callable = Ref::borrow(callable.ptr());
        state->add(std::move(item), &state->items_);
    }
    if (state->items_.empty()) {
        PyErr_SetString(PyExc_ValueError,
                        "there is no global state to guard: import torch first, or give getters");
        throw py::error_already_set();
    }
    return state;
}

template <bool kExplain>
int GlobalState::check(std::string* expected, std::string* actual) const {
    auto differs = [&](const Item& item, PyObject* value) {
        if constexpr (kExplain) {
            *expected = item.name + " " + short_repr(item.expected.get());
            *actual = item.name + " " + short_repr(value);
        }
        return 0;
    };
    auto check_items = [&](const std::vector<Item>& items) {
        for (const Item& item : items) {
            Ref value = item.read();
            if (!value) return -1;
            if (!same_value(value.get(), item.expected.get())) return differs(item, value.get());
        }
        return 1;
    };

    if (torch_check_ != nullptr) {
        Ref same = Ref::steal(torch_check_(torch_guard_.get(), nullptr));
        if (!same) return -1;
        if (same.get() != Py_True) {
            if constexpr (kExplain) {
                if (check_items(covered_) != 0) {
                    Ref reason = Ref::steal(
                        PyObject_CallMethod(torch_guard_.get(), "reason", nullptr));
                    *expected = "torch's global state as captured";
                    *actual = "changed: " + short_repr(reason.get());
                }
                PyErr_Clear();
            }
            return 0;
        }
    }
    if (reads_dispatch_keys_) {
        const uint64_t* words = ThreadDispatchKeys::find();
        if (std::memcmp(words, dispatch_keys_, sizeof dispatch_keys_) != 0) {
            if constexpr (kExplain) {
                // What people know by name explains itself; the bare words do only otherwise.
                if (check_items(items_) != 0) {
                    auto text = [](const uint64_t* keys) {
                        char buffer[80];
                        std::snprintf(buffer, sizeof buffer, "dispatch keys of the thread %llx/%llx",
                                      static_cast<unsigned long long>(keys[0]),
                                      static_cast<unsigned long long>(keys[1]));
                        return std::string(buffer);
                    };
                    *expected = text(dispatch_keys_);
                    *actual = text(words);
                }
                PyErr_Clear();
            }
            return 0;
        }
    }
    return check_items(items_);
}

template int GlobalState::check<false>(std::string*, std::string*) const;
template int GlobalState::check<true>(std::string*, std::string*) const;

std::vector<std::pair<std::string, std::string>> GlobalState::items() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto* items : {&covered_, &items_}) {
        for (const Item& item : *items) {
            all.emplace_back(item.name, short_repr(item.expected.get()));
        }
    }
    if (reads_dispatch_keys_) all.emplace_back("dispatch keys of the thread", "as captured");
    return all;
}

}  // namespace framejit
