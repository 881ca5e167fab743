; Recorded functions write to the ring: what was promised of their memory holds no longer, nor of functions that other modules
; may record. Intrinsics keep theirs.
; RUN: %check
; CHECK:     declare i32 @elsewhere(i32){{( #[[PLAIN:[0-9]+]])?$}}
; CHECK:     declare float @llvm.sqrt.f32(float) #[[INTRINSIC:[0-9]+]]
; CHECK:     define i32 @pure(i32 %n) #[[RECORDED:[0-9]+]]
; CHECK:     %v = call i32 @elsewhere(i32 %n){{$}}
; CHECK-DAG: attributes #[[INTRINSIC]] = {{.*}}memory(none)
; CHECK-DAG: attributes #[[RECORDED]] = { "vestige-recorded" }
declare i32 @elsewhere(i32) memory(none) nosync speculatable
declare float @llvm.sqrt.f32(float)
define i32 @pure(i32 %n) memory(none) nosync {
  %v = call i32 @elsewhere(i32 %n) memory(none)
  ret i32 %v
}
