// Relation: an equation or inequality between sizes and ints, evaluated without Python.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "source.h"

namespace framejit {

enum class ExprOp : uint8_t {
    Constant,
    Size,  // source.shape[dim]
    Int,   // the value of a source, which must be an exact int
    Add,
    Subtract,
    Multiply,
    FloorDivide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
};

inline bool is_comparison(ExprOp op) { return op >= ExprOp::Equal; }

// Immutable tree, as a person writes it. `constant` is an exact int.
struct Expr {
    ExprOp op;
    std::shared_ptr<const Expr> left, right;
    SourcePtr source;
    Py_ssize_t dim = 0;
    Ref constant;
    std::string text;
};

using ExprPtr = std::shared_ptr<const Expr>;

// Each throws pybind11::error_already_set when an operand does not fit.
ExprPtr constant_expr(PyObject* value);
ExprPtr size_expr(SourcePtr source, Py_ssize_t dim);
ExprPtr int_expr(SourcePtr source);
ExprPtr binary_expr(ExprOp op, ExprPtr left, ExprPtr right);

// One step of the tree in postfix order. `leaf` indexes the relation's leaves.
struct RelationStep {
    ExprOp op;
    int64_t constant = 0;
    PyObject* big = nullptr;  // a constant that does not fit 64 bits; owned by the tree
    int leaf = -1;
};

// A leaf's value as the machine found it: 64 bits, or any int as an object.
struct LeafValue {
    int64_t small = 0;
    Ref big;
};

struct Relation {
    ExprPtr root;
    std::vector<RelationStep> steps;
    std::vector<const Expr*> leaves;  // the Size and Int nodes, each source and dim once
    size_t depth = 0;
};

// Flattens a comparison; throws ValueError if the root is not one.
Relation flatten_relation(ExprPtr root);

// 1 if the relation holds, 0 if not, -1 with a Python exception (division by zero). Arithmetic is
// Python's: floor division and modulo round down, and what does not fit 64 bits is computed with
// int objects.
int evaluate_relation(const Relation& relation, const std::vector<LeafValue>& leaves);

}  // namespace framejit
