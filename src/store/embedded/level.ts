import type { ClassicLevel } from 'classic-level';

/** The LevelDB database of a store. */
export type Level = ClassicLevel<string, string>;
