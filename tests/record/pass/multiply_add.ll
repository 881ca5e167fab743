; A multiplication with an addition is two operations, that can be derived, where the target has no other way to do it.
; RUN: %check

define double @apart(double %a, double %b, double %c) {
; CHECK-LABEL: define double @apart(
; CHECK-NOT: fmuladd
; CHECK: fmul double %a, %b
; CHECK-NOT: fmuladd
; CHECK: fadd double
  %r = call contract double @llvm.fmuladd.f64(double %a, double %b, double %c)
  ret double %r
}

define double @together(double %a, double %b, double %c) #0 {
; CHECK-LABEL: define double @together(
; CHECK: call double @llvm.fmuladd.f64
  %r = call double @llvm.fmuladd.f64(double %a, double %b, double %c)
  ret double %r
}

declare double @llvm.fmuladd.f64(double, double, double)

attributes #0 = { "target-features"="+avx,+fma,+sse2" }
