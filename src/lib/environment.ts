/** The variables of a process's environment, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;
