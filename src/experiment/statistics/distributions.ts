/** The quantile of the normal distribution, by halving: `p` between 0 and 1. */
export const normalQuantile = (p: number): number => {
  if (p > 0.5) return -normalQuantile(1 - p)
  if (p <= 0) return Number.NEGATIVE_INFINITY
  let low = -40
  let high = 0
  for (let step = 0; step < 100 && high - low > 1e-14; step++) {
    const middle = (low + high) / 2
    if (normalDistribution(middle) < p) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** The logarithm of the gamma function for x > 0: Lanczos' approximation with g = 7 and nine terms, relative error about 1e-15. */
export const logGamma = (x: number): number => {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x)
  const shifted = x - 1
  const base = shifted + 7.5
  const series = lanczos.reduce((sum, term, at) => sum + (at === 0 ? term : term / (shifted + at)), 0)
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(base) - base + Math.log(series)
}
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
  12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7
]

/**
 * The incomplete beta function I_x(a, b), by its continued fraction in Lentz' form (DLMF 8.17.22). The distribution functions of the binomial and of
 * Student's t are values of it.
 */
export const incompleteBeta = (x: number, a: number, b: number): number => {
  if (x <= 0) return 0
  if (x >= 1) return 1
  // The fraction converges quickly on this side only (DLMF 8.17.4 gives the other).
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a)
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x)) / a
  const tiny = 1e-300
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= 500; m++) {
    for (const numerator of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    ]) {
      d = 1 / away(1 + numerator * d)
      c = away(1 + numerator / c)
      fraction *= d * c
    }
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return front * fraction
}

/** P(T <= t) of Student's t with `degrees` degrees of freedom, above 0. */
export const studentDistribution = (t: number, degrees: number): number => {
  const tail = incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
  return t < 0 ? tail : 1 - tail
}

/** The quantile of Student's t, by halving: `p` from 0.5 to under 1. */
export const studentQuantile = (p: number, degrees: number): number => {
  let low = 0
  let high = 1
  while (studentDistribution(high, degrees) < p) high *= 2
  for (let step = 0; step < 100 && high - low > 1e-12 * high; step++) {
    const middle = (low + high) / 2
    if (studentDistribution(middle, degrees) < p) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** P(Z <= z) of the normal distribution: the series DLMF 7.6.2 near zero, the continued fraction DLMF 7.9.1 in the tails; relative error about 1e-14. */
export const normalDistribution = (z: number): number => {
  const x = Math.abs(z)
  if (x < 3) {
    let term = x
    let sum = x
    for (let n = 1; Math.abs(term) > 1e-17 * sum && n < 200; n++) {
      term *= (x * x) / (2 * n + 1)
      sum += term
    }
    const half = (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI)
    return z < 0 ? 0.5 - half : 0.5 + half
  }
  let fraction = 0
  for (let n = 120; n >= 1; n--) fraction = n / (x + fraction)
  const tail = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI) / (x + fraction)
  return z < 0 ? tail : 1 - tail
}

/** P(X = k) for k = 0..n of the binomial distribution. */
export const binomialProbabilities = (n: number, p: number): ReadonlyArray<number> =>
  Array.from({ length: n + 1 }, (_, k) => {
    if (p <= 0) return k === 0 ? 1 : 0
    if (p >= 1) return k === n ? 1 : 0
    return Math.exp(
      logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1) + k * Math.log(p) + (n - k) * Math.log(1 - p)
    )
  })
