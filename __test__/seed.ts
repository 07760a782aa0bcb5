const FIXED = process.env.PROPTEST_RNG_SEED;

/** Of the random choices of a test: the same in every run of continuous integration, a new one elsewhere. */
export const SEED = FIXED === undefined ? Date.now() % 1_000_000 : Number(FIXED);
