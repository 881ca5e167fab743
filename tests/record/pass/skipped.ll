; What cannot be recorded is left as it is.
; RUN: %check
; CHECK-LABEL: define i32 @chosen()
; CHECK:       @__vestige_full_here
; CHECK-LABEL: define internal ptr @helper()
; CHECK-NEXT:  ret ptr @chosen
; CHECK-LABEL: define internal ptr @resolver()
; CHECK-NEXT:  call ptr @helper()
; CHECK-NEXT:  ret ptr
; CHECK-LABEL: define void @bare()
; CHECK-NEXT:  call void asm
; CHECK-NEXT:  unreachable
; CHECK-LABEL: define available_externally i32 @elsewhere()
; CHECK-NEXT:  ret i32 2
; CHECK-LABEL: define ptr @memcpy(
; CHECK-NEXT:  ret ptr %to
; CHECK-LABEL: define i32 @use()
; CHECK:       @__vestige_full_here
@dispatched = ifunc i32 (), ptr @resolver
define i32 @chosen() { ret i32 1 }
define internal ptr @helper() { ret ptr @chosen }
define internal ptr @resolver() {
  %p = call ptr @helper()
  ret ptr %p
}
define void @bare() naked {
  call void asm sideeffect "ret", ""()
  unreachable
}
define available_externally i32 @elsewhere() { ret i32 2 }
define ptr @memcpy(ptr %to, ptr %from, i64 %n) { ret ptr %to }
define i32 @use() {
  %v = call i32 @elsewhere()
  ret i32 %v
}
