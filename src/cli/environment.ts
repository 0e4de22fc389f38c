/** The environment variables of the program. */
export type Environment = Readonly<Record<string, string | undefined>>;
