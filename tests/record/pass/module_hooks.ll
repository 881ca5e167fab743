; One constructor and one destructor per linked module, however many functions; nothing in a module without functions, and
; nothing twice when the pass runs twice.
; RUN: %check
; RUN: opt-19 -load-pass-plugin=%plugin -passes='vestige-paths,vestige-paths,verify' %s -S -o - | diff %t.ll -
; RUN: echo '@x = global i32 1' | opt-19 -load-pass-plugin=%plugin -passes=vestige -S -o - | FileCheck-19 %s --check-prefix EMPTY
; EMPTY-NOT: vestige
; CHECK-DAG:   @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] {{.*}}ptr @__vestige_module_begin, ptr @__vestige_module_begin
; CHECK-DAG:   @llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] {{.*}}ptr @__vestige_module_end, ptr @__vestige_module_end
; CHECK-LABEL: define linkonce_odr hidden void @__vestige_module_begin() {{.*}}comdat
; CHECK-NEXT:  call void @__vestige_module_load(ptr @__start_vestige_fn, ptr @__stop_vestige_fn)
; CHECK-LABEL: define linkonce_odr hidden void @__vestige_module_end() {{.*}}comdat
; CHECK-NEXT:  call void @__vestige_module_unload(ptr @__start_vestige_fn, ptr @__stop_vestige_fn)
define void @a() { ret void }
define void @b() { ret void }
