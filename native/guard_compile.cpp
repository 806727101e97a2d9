// From the tree of sources to the flat program: each source is computed once, at the first guard
// that needs it, so that guards are checked in the order in which they were given.

#include <pybind11/pybind11.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "constant.h"
#include "guard_program.h"

namespace framejit {

namespace {

bool same_key(PyObject* a, PyObject* b) {
    return a == b || (a != nullptr && b != nullptr && is_constant(a) && same_constant(b, a));
}

bool same_source(const Source* a, const Source* b) {
    for (; a != b; a = a->base.get(), b = b->base.get()) {
        if (a == nullptr || b == nullptr || a->kind != b->kind || a->index != b->index ||
            !same_key(a->key.get(), b->key.get())) {
            return false;
        }
    }
    return true;
}

Op load_op(SourceKind kind) {
    switch (kind) {
        case SourceKind::Global: return Op::LoadGlobal;
        case SourceKind::Builtin: return Op::LoadBuiltin;
        case SourceKind::Attribute: return Op::LoadAttribute;
        case SourceKind::Item: return Op::LoadItem;
        case SourceKind::DictKey: return Op::LoadDictKey;
        case SourceKind::ClosureCell: return Op::LoadClosureCell;
        case SourceKind::Default: return Op::LoadDefault;
        case SourceKind::KeywordDefault: return Op::LoadKeywordDefault;
        case SourceKind::Type: return Op::LoadType;
        default: return Op::LoadInstanceDict;
    }
}

Op check_op(Fact fact) {
    switch (fact) {
        case Fact::Type: return Op::CheckType;
        case Fact::Identity: return Op::CheckIdentity;
        case Fact::Absent: return Op::CheckAbsent;
        case Fact::Present: return Op::CheckPresent;
        case Fact::Equals: return Op::CheckEquals;
        case Fact::Length: return Op::CheckLength;
        case Fact::DictKeys: return Op::CheckDictKeys;
        case Fact::SetContents: return Op::CheckSetContents;
        case Fact::Contains: return Op::CheckContains;
        case Fact::Lacks: return Op::CheckLacks;
        case Fact::Tensor: return Op::CheckTensor;
        case Fact::Same: return Op::CheckSame;
        case Fact::Distinct: return Op::CheckDistinct;
        case Fact::Relation: return Op::CheckRelation;
        case Fact::GlobalState: return Op::CheckGlobalState;
        case Fact::Predicate: return Op::CheckPredicate;
        case Fact::FramePredicate: return Op::CheckFramePredicate;
    }
    return Op::CheckPresent;
}

}  // namespace

class ProgramCompiler {
public:
    ProgramCompiler(const SlotTable& table, GuardProgram* program)
        : table_(table), program_(program) {}

    void add(const Guard& guard) {
        guard_ = static_cast<uint32_t>(program_->texts_.size());
        program_->texts_.push_back({guard.source_text(), guard.expected_text()});
        Instruction check{};
        check.op = check_op(guard.fact);
        check.guard = guard_;
        switch (guard.fact) {
            case Fact::Same:
            case Fact::Distinct:
            case Fact::Relation: {
                auto operands = std::make_shared<Operands>();
                for (const SourcePtr& source : guard.sources) {
                    operands->all.push_back(operand(source));
                }
                operands->relation = guard.relation.get();
                check.operands = operands.get();
                program_->payloads_.push_back(guard.relation);
                program_->payloads_.push_back(operands);
                break;
            }
            case Fact::GlobalState:
                check.state = guard.state.get();
                program_->payloads_.push_back(guard.state);
                break;
            case Fact::FramePredicate: check.object = hold(guard.object.get()); break;
            case Fact::Length: add_length(guard, &check); break;
            default:
                check.operand = operand(guard.sources[0]);
                add_payload(guard, &check);
        }
        program_->instructions_.push_back(check);
    }

private:
    struct Loaded {
        SourcePtr source;
        Operand operand;
    };

    PyObject* hold(PyObject* object) {
        program_->held_.push_back(Ref::borrow(object));
        return object;
    }

    void add_payload(const Guard& guard, Instruction* check) {
        if (guard.fact == Fact::Tensor) {
            check->tensor = guard.tensor.get();
            program_->payloads_.push_back(guard.tensor);
            return;
        }
        PyObject* object = guard.object.get();
        check->object = object;
        if (object == nullptr) return;
        const bool by_identity = guard.fact == Fact::Type || guard.fact == Fact::Identity;
        const std::string& text = program_->texts_[guard_].expected;
        // What is compared by its address must not be kept alive by that; but an address alone
        // could come to belong to another object, so the program dies with the one that is meant.
        if (!by_identity || !program_->watch(object, static_cast<int>(guard_), text)) hold(object);
    }

    // The length of an instance dict is by far most asked of tensors, to see that nothing was
    // hung on them; it needs no register.
    void add_length(const Guard& guard, Instruction* check) {
        const SourcePtr& source = guard.sources[0];
        check->number = guard.length;
        if (source->kind == SourceKind::InstanceDict && find(source) == nullptr) {
            check->op = Op::CheckDictLength;
            check->operand = operand(source->base);
        } else {
            check->operand = operand(source);
        }
    }

    const Operand* find(const SourcePtr& source) const {
        auto range = loaded_.equal_range(source->text);
        for (auto it = range.first; it != range.second; ++it) {
            if (same_source(it->second.source.get(), source.get())) return &it->second.operand;
        }
        return nullptr;
    }

    Operand operand(const SourcePtr& source) {
        switch (source->kind) {
            case SourceKind::Local: return variable(Scope::Local, source);
            case SourceKind::Cell: return variable(Scope::Cell, source);
            case SourceKind::Free: return variable(Scope::Free, source);
            default: break;
        }
        if (const Operand* known = find(source)) return *known;

        Instruction load{};
        load.op = load_op(source->kind);
        load.guard = guard_;
        if (source->base) load.operand = operand(source->base);
        if (source->key) {
            load.object = hold(source->key.get());
        } else {
            load.number = source->index;
        }
        if (program_->register_count_ > std::numeric_limits<uint16_t>::max()) {
            PyErr_SetString(PyExc_ValueError,
                            "more than 65,536 different sources in one guard program; replace "
                            "some by a predicate");
            throw pybind11::error_already_set();
        }
        load.target = static_cast<uint16_t>(program_->register_count_++);
        program_->instructions_.push_back(load);
        Operand result{Storage::Register, load.target, nullptr};
        loaded_.emplace(source->text, Loaded{source, result});
        return result;
    }

    Operand variable(Scope scope, const SourcePtr& source) {
        Slot slot;
        if (!table_.find(scope, source->key.get(), &slot)) throw pybind11::error_already_set();
        return {slot.storage, slot.index, hold(source->key.get())};
    }

    const SlotTable& table_;
    GuardProgram* program_;
    uint32_t guard_ = 0;
    std::unordered_multimap<std::string, Loaded> loaded_;
};

void GuardProgram::compile(PyCodeObject* code, const SlotTable& table,
                           const std::vector<GuardPtr>& guards) {
    if ((code->co_flags & kSuspendingFlags) != 0) {
        PyErr_Format(PyExc_ValueError,
                     "%U() is a generator or coroutine: its frame is entered more than once, so "
                     "guards at entry cannot cover it; guard the function that calls it",
                     code->co_name);
        throw pybind11::error_already_set();
    }
    if ((code->co_flags & CO_OPTIMIZED) == 0) {
        PyErr_Format(PyExc_ValueError,
                     "%U is the body of a module or class: it has no fast locals; guard a "
                     "function",
                     code->co_name);
        throw pybind11::error_already_set();
    }
    ProgramCompiler compiler(table, this);
    for (const GuardPtr& guard : guards) compiler.add(*guard);
    at_once_ = std::all_of(instructions_.begin(), instructions_.end(), [](const auto& step) {
        return step.is_comparison() && step.operand.storage != Storage::Register;
    });
}

GuardProgram::~GuardProgram() {
    // A weak reference can be found and kept by others; it must not call into what is gone.
    if (self_) PyCapsule_SetContext(self_.get(), this);
}

PyMethodDef GuardProgram::object_died_def_ = {"object_died", GuardProgram::object_died, METH_O,
                                              nullptr};

PyObject* GuardProgram::object_died(PyObject* self, PyObject* weakref) {
    if (PyCapsule_GetContext(self) == nullptr) {
        auto* program = static_cast<GuardProgram*>(PyCapsule_GetPointer(self, nullptr));
        if (!program->dead_) {
            program->dead_ = true;
            for (const Watched& watched : program->watched_) {
                if (watched.weakref.get() != weakref) continue;
                Failure& death = program->death_;
                death.guard = watched.guard;
                death.miss = Miss::Died;
                death.source = watched.guard < 0 ? "a dependency"
                                                 : program->texts_[watched.guard].source;
                death.expected = watched.text;
                death.actual = "that object no longer exists";
            }
            if (program->on_death != nullptr) program->on_death(program->owner);
        }
    }
    Py_RETURN_NONE;
}

bool GuardProgram::watch(PyObject* object, int guard, const std::string& text) {
    if (!self_) self_ = Ref::steal(PyCapsule_New(this, nullptr, nullptr));
    Ref callback = self_ ? Ref::steal(PyCFunction_New(&object_died_def_, self_.get())) : Ref();
    Ref weakref =
        callback ? Ref::steal(PyWeakref_NewRef(object, callback.get())) : Ref();
    if (!weakref) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw pybind11::error_already_set();
        PyErr_Clear();  // this type has no weak references
        return false;
    }
    watched_.push_back({weakref, guard, text});
    return true;
}

}  // namespace framejit
