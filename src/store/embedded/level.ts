import type { ClassicLevel } from 'classic-level';

/** The type of the LevelDB database: keys and values are strings. */
export type LevelHandle = ClassicLevel<string, string>;
