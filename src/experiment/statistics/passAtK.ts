/**
 * The chance that at least one of `k` repetitions passes, estimated without bias from `passed` of `n`: 1 - C(n - passed, k) / C(n, k) (Chen and others,
 * "Evaluating Large Language Models Trained on Code", 2021, equation 1). Undefined where k is over n.
 */
export const passAtK = (n: number, passed: number, k: number): number | undefined =>
  k < 1 || k > n ? undefined : 1 - chosen(n - passed, n, k)

/**
 * The chance that all of `k` repetitions pass: C(passed, k) / C(n, k) (pass^k of Yao and others, "tau-bench", 2024). Undefined where k is over n.
 */
export const passHatK = (n: number, passed: number, k: number): number | undefined =>
  k < 1 || k > n ? undefined : chosen(passed, n, k)

/** C(some, k) / C(all, k), as a product: no factorial overflows. */
const chosen = (some: number, all: number, k: number): number => {
  let share = 1
  for (let at = 0; at < k; at++) share *= Math.max(0, some - at) / (all - at)
  return share
}
