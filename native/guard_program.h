// GuardProgram: guards compiled to a flat list of instructions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frame_view.h"
#include "guard.h"

namespace framejit {

// First the facts, the two commonest before the others; then the loads, which put a value that is
// no variable into a register.
enum class Op : uint8_t {
    CheckType,
    CheckIdentity,
    CheckAbsent,
    CheckPresent,
    CheckEquals,
    CheckLength,
    CheckDictLength,  // CheckLength of an instance dict, without a register
    CheckDictKeys,
    CheckSetContents,
    CheckContains,
    CheckLacks,
    CheckTensor,
    CheckSame,
    CheckDistinct,
    CheckRelation,
    CheckGlobalState,
    CheckPredicate,
    CheckFramePredicate,

    LoadGlobal,
    LoadBuiltin,
    LoadAttribute,
    LoadItem,
    LoadDictKey,
    LoadClosureCell,
    LoadDefault,
    LoadKeywordDefault,
    LoadType,
    LoadInstanceDict,
};

// Where an instruction finds its value: a variable of the frame, or a register.
struct Operand {
    Storage storage = Storage::Unbound;
    int32_t index = 0;
    PyObject* name = nullptr;  // the variable's, by which the dict design finds it
};

struct Instruction {
    Operand operand;
    Op op;
    uint16_t target = 0;  // the register that a load fills
    uint32_t guard = 0;
    union {
        PyObject* object;
        Py_ssize_t number;
        const TensorFact* tensor;
        const GlobalState* state;
        const struct Operands* operands;  // Same, Distinct and Relation
    };

    // By far the commonest guards are told by one comparison of addresses.
    bool is_comparison() const { return op <= Op::CheckIdentity; }
    bool holds_of(PyObject* value) const {
        if (value == nullptr) return false;
        return (op == Op::CheckType ? reinterpret_cast<PyObject*>(Py_TYPE(value)) : value) ==
               object;
    }
};

struct Operands {
    std::vector<Operand> all;
    const Relation* relation = nullptr;
};

enum class Miss : uint8_t {
    Mismatch,  // the value is not as demanded
    Missing,   // the source yields no value
    Error,     // finding or comparing the value raised
    Died,      // an object that the guard names no longer exists
};
const char* miss_name(Miss miss);

// The first guard that failed.
struct Failure {
    int guard = -1;
    Miss miss = Miss::Mismatch;
    std::string source, expected, actual;

    std::string text() const;
};

// How a program reads variables: straight from the frame, or from a dict of the locals built for
// the check, as torch.compile did before PyTorch PR 140063.
enum class Design : uint8_t { Frame, Dict };

class GuardProgram {
public:
    GuardProgram() = default;
    GuardProgram(const GuardProgram&) = delete;
    GuardProgram& operator=(const GuardProgram&) = delete;

    // Compiles the guards for `code`, in their order, into this program, which must be empty.
    // Throws pybind11::error_already_set (ValueError, TypeError) for a guard that does not fit the
    // code.
    void compile(PyCodeObject* code, const SlotTable& table, const std::vector<GuardPtr>& guards);
    ~GuardProgram();

    // Whether all guards hold for a frame of the code that the program was compiled for. The
    // explaining check is the same code with the texts filled in. A check that meets an error
    // fills the failure in either case.
    template <bool kExplain>
    bool check(FrameView& view, const SlotTable& table, Design design,
               std::unique_ptr<Failure>* failure) const;

    // Whether the program consists of type and identity facts of variables alone, and all hold:
    // what needs neither registers nor Python code, inline, for the entry that is tried first.
    bool holds_at_once(const VariableReader& variables) const {
        if (!at_once_) return false;
        for (const Instruction& step : instructions_) {
            const Operand& operand = step.operand;
            if (!step.holds_of(variables.load(operand.storage, operand.index))) return false;
        }
        return true;
    }

    // Removes what depends on an object that died; set by the owner of the program.
    void (*on_death)(void* owner) = nullptr;
    void* owner = nullptr;

    bool dead() const { return dead_; }
    size_t guard_count() const { return texts_.size(); }
    const std::string& source_text(size_t guard) const { return texts_[guard].source; }
    const std::string& expected_text(size_t guard) const { return texts_[guard].expected; }
    size_t instruction_count() const { return instructions_.size(); }

    // Watches an object without holding it: when it dies, so does the program. `guard` is the one
    // that names the object, or -1. False if the object cannot be watched.
    bool watch(PyObject* object, int guard, const std::string& text);

private:
    friend class ProgramCompiler;
    template <class Reader, bool kExplain>
    friend class Machine;

    struct Text {
        std::string source, expected;
    };
    struct Watched {
        Ref weakref;
        int guard;
        std::string text;
    };

    static PyObject* object_died(PyObject* self, PyObject* weakref);
    static PyMethodDef object_died_def_;

    std::vector<Instruction> instructions_;
    std::vector<Text> texts_;
    std::vector<Ref> held_;
    std::vector<std::shared_ptr<const void>> payloads_;
    std::vector<Watched> watched_;
    size_t register_count_ = 0;
    Ref self_;  // a capsule of this, for the weak references' callback
    bool at_once_ = false;  // see holds_at_once
    bool dead_ = false;
    Failure death_;
};

}  // namespace framejit
