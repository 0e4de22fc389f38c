import fc from 'fast-check';

/**
 * Property tests use the same examples in every run, so a failure points to the change under test. To try other
 * examples, set another seed: `FC_SEED=$RANDOM npm test`.
 */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_115) });
