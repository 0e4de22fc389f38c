/** The program's log. Logged values must never contain request bodies or credentials. */
export interface Log {
  debug(members: Record<string, unknown>, message: string): void;
  info(members: Record<string, unknown>, message: string): void;
  warn(members: Record<string, unknown>, message: string): void;
  error(members: Record<string, unknown>, message: string): void;
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
