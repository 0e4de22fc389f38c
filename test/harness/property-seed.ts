import fc from 'fast-check';

/**
 * Property tests draw the same examples in every run, so that a change is judged by what it changes. To look further,
 * give another seed: `FC_SEED=$RANDOM npm test`.
 */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_115) });
