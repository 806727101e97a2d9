#include "relation.h"

#include <pybind11/pybind11.h>

#include <algorithm>

#include "errors.h"

namespace framejit {

namespace {

const char* symbol(ExprOp op) {
    switch (op) {
        case ExprOp::Add: return "+";
        case ExprOp::Subtract: return "-";
        case ExprOp::Multiply: return "*";
        case ExprOp::FloorDivide: return "//";
        case ExprOp::Modulo: return "%";
        case ExprOp::Equal: return "==";
        case ExprOp::NotEqual: return "!=";
        case ExprOp::Less: return "<";
        case ExprOp::LessEqual: return "<=";
        case ExprOp::Greater: return ">";
        case ExprOp::GreaterEqual: return ">=";
        default: return "";
    }
}

std::string parenthesized(const Expr& expr) {
    return expr.op < ExprOp::Add ? expr.text : "(" + expr.text + ")";
}

// False when the result does not fit 64 bits or the operation raises in Python.
bool apply_small(ExprOp op, int64_t a, int64_t b, int64_t* result) {
    switch (op) {
        case ExprOp::Add: return !__builtin_add_overflow(a, b, result);
        case ExprOp::Subtract: return !__builtin_sub_overflow(a, b, result);
        case ExprOp::Multiply: return !__builtin_mul_overflow(a, b, result);
        case ExprOp::FloorDivide:
        case ExprOp::Modulo: {
            if (b == 0 || (a == INT64_MIN && b == -1)) return false;
            int64_t quotient = a / b, remainder = a % b;
            // C++ rounds towards zero, Python down.
            if (remainder != 0 && (remainder < 0) != (b < 0)) {
                quotient -= 1;
                remainder += b;
            }
            *result = op == ExprOp::FloorDivide ? quotient : remainder;
            return true;
        }
        case ExprOp::Equal: *result = a == b; return true;
        case ExprOp::NotEqual: *result = a != b; return true;
        case ExprOp::Less: *result = a < b; return true;
        case ExprOp::LessEqual: *result = a <= b; return true;
        case ExprOp::Greater: *result = a > b; return true;
        case ExprOp::GreaterEqual: *result = a >= b; return true;
        default: return false;
    }
}

Ref apply_big(ExprOp op, PyObject* a, PyObject* b) {
    switch (op) {
        case ExprOp::Add: return Ref::steal(PyNumber_Add(a, b));
        case ExprOp::Subtract: return Ref::steal(PyNumber_Subtract(a, b));
        case ExprOp::Multiply: return Ref::steal(PyNumber_Multiply(a, b));
        case ExprOp::FloorDivide: return Ref::steal(PyNumber_FloorDivide(a, b));
        case ExprOp::Modulo: return Ref::steal(PyNumber_Remainder(a, b));
        case ExprOp::Equal: return Ref::steal(PyObject_RichCompare(a, b, Py_EQ));
        case ExprOp::NotEqual: return Ref::steal(PyObject_RichCompare(a, b, Py_NE));
        case ExprOp::Less: return Ref::steal(PyObject_RichCompare(a, b, Py_LT));
        case ExprOp::LessEqual: return Ref::steal(PyObject_RichCompare(a, b, Py_LE));
        case ExprOp::Greater: return Ref::steal(PyObject_RichCompare(a, b, Py_GT));
        case ExprOp::GreaterEqual: return Ref::steal(PyObject_RichCompare(a, b, Py_GE));
        default: return Ref();
    }
}

int evaluate_big(const Relation& relation, const std::vector<LeafValue>& leaves) {
    std::vector<Ref> stack;
    stack.reserve(relation.depth);
    for (const RelationStep& step : relation.steps) {
        if (step.op == ExprOp::Constant) {
            stack.push_back(step.big ? Ref::borrow(step.big)
                                     : Ref::steal(PyLong_FromLongLong(step.constant)));
        } else if (step.leaf >= 0) {
            const LeafValue& leaf = leaves[step.leaf];
            stack.push_back(leaf.big ? leaf.big : Ref::steal(PyLong_FromLongLong(leaf.small)));
        } else {
            Ref right = std::move(stack.back());
            stack.pop_back();
            stack.back() = apply_big(step.op, stack.back().get(), right.get());
        }
        if (!stack.back()) return -1;
    }
    return PyObject_IsTrue(stack.back().get());
}

void flatten(const ExprPtr& expr, Relation* relation, size_t* height) {
    RelationStep step{expr->op};
    if (expr->op == ExprOp::Constant) {
        int overflow = 0;
        step.constant = PyLong_AsLongLongAndOverflow(expr->constant.get(), &overflow);
        if (overflow != 0) step.big = expr->constant.get();
        *height += 1;
    } else if (expr->source) {
        auto same = [&](const Expr* leaf) {
            return leaf->op == expr->op && leaf->dim == expr->dim &&
                   leaf->source->text == expr->source->text;
        };
        auto& leaves = relation->leaves;
        auto found = std::find_if(leaves.begin(), leaves.end(), same);
        step.leaf = static_cast<int>(found - leaves.begin());
        if (found == leaves.end()) leaves.push_back(expr.get());
        *height += 1;
    } else {
        flatten(expr->left, relation, height);
        flatten(expr->right, relation, height);
        *height -= 1;
    }
    relation->depth = std::max(relation->depth, *height);
    relation->steps.push_back(step);
}

}  // namespace

ExprPtr constant_expr(PyObject* value) {
    if (!PyLong_CheckExact(value)) {
        PyErr_Format(PyExc_TypeError, "a relation is between ints, sizes and sums of them, not %R",
                     value);
        throw pybind11::error_already_set();
    }
    auto expr = std::make_shared<Expr>();
    expr->op = ExprOp::Constant;
    expr->constant = Ref::borrow(value);
    expr->text = short_repr(value);
    return expr;
}

ExprPtr size_expr(SourcePtr source, Py_ssize_t dim) {
    if (dim < 0) {
        PyErr_Format(PyExc_ValueError, "dimension %zd of %s is out of range: count from 0", dim,
                     source->text.c_str());
        throw pybind11::error_already_set();
    }
    auto expr = std::make_shared<Expr>();
    expr->op = ExprOp::Size;
    expr->dim = dim;
    expr->text = source->text + ".shape[" + std::to_string(dim) + "]";
    expr->source = std::move(source);
    return expr;
}

ExprPtr int_expr(SourcePtr source) {
    auto expr = std::make_shared<Expr>();
    expr->op = ExprOp::Int;
    expr->text = source->text;
    expr->source = std::move(source);
    return expr;
}

ExprPtr binary_expr(ExprOp op, ExprPtr left, ExprPtr right) {
    if (is_comparison(left->op) || is_comparison(right->op)) {
        PyErr_SetString(PyExc_TypeError,
                        "a comparison cannot be part of a sum or of another comparison; give each "
                        "comparison a guard of its own");
        throw pybind11::error_already_set();
    }
    auto expr = std::make_shared<Expr>();
    expr->op = op;
    expr->text = parenthesized(*left) + " " + symbol(op) + " " + parenthesized(*right);
    expr->left = std::move(left);
    expr->right = std::move(right);
    return expr;
}

Relation flatten_relation(ExprPtr root) {
    if (!is_comparison(root->op)) {
        PyErr_Format(PyExc_ValueError, "%s is no relation: compare it with something",
                     root->text.c_str());
        throw pybind11::error_already_set();
    }
    Relation relation;
    size_t height = 0;
    flatten(root, &relation, &height);
    relation.root = std::move(root);
    return relation;
}

int evaluate_relation(const Relation& relation, const std::vector<LeafValue>& leaves) {
    constexpr size_t kInline = 32;
    if (relation.depth > kInline) return evaluate_big(relation, leaves);
    int64_t stack[kInline];
    size_t top = 0;
    for (const RelationStep& step : relation.steps) {
        if (step.op == ExprOp::Constant) {
            if (step.big != nullptr) return evaluate_big(relation, leaves);
            stack[top++] = step.constant;
        } else if (step.leaf >= 0) {
            if (leaves[step.leaf].big) return evaluate_big(relation, leaves);
            stack[top++] = leaves[step.leaf].small;
        } else {
            --top;
            if (!apply_small(step.op, stack[top - 1], stack[top], &stack[top - 1])) {
                return evaluate_big(relation, leaves);
            }
        }
    }
    return stack[0] != 0;
}

}  // namespace framejit
