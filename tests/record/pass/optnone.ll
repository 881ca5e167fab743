; The pass is required: optnone functions are recorded too.
; RUN: %check
; CHECK-LABEL: define i32 @optnone()
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
define i32 @optnone() optnone noinline { ret i32 1 }
