#include "frame_view.h"

#include "frame_handle.h"

namespace framejit {

PyObject* FrameView::locals(const SlotTable& table) {
    if (locals_) return locals_.get();
    Ref dict = Ref::steal(PyDict_New());
    if (!dict) return nullptr;
    for (const Variable& variable : table.variables()) {
        PyObject* value = load(variable.slot);
        if (value == nullptr) continue;
        if (PyDict_SetItem(dict.get(), variable.name, value) < 0) return nullptr;
    }
    locals_ = std::move(dict);
    return locals_.get();
}

const std::shared_ptr<FrameAccess>& FrameView::access(const SlotTable& table) {
    if (!access_) access_ = std::make_shared<FrameAccess>(FrameAccess{this, &table});
    return access_;
}

void FrameView::end_access() { access_->view = nullptr; }

}  // namespace framejit
