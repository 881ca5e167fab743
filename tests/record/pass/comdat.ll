; A function's slot and record share its COMDAT group: the linker keeps them with the copy it keeps.
; RUN: %check
; CHECK-DAG: @__vestige_record = private constant {{.*}} section "vestige_program", {{.*}}comdat($shared)
; CHECK-DAG: @__vestige_slot = private global {{.*}} section "vestige_fn", {{.*}}comdat($shared)
; CHECK-NOT: @__vestige_{{(record|slot)}}.{{.*}} comdat
; CHECK:     @llvm.used = appending global [6 x ptr]
$shared = comdat any
define linkonce_odr i32 @shared() comdat { ret i32 1 }
define i32 @alone() { ret i32 2 }
