/** The program's own log. Members are named by code, never taken from a request's body or credentials. */
export interface Log {
  debug(members: Record<string, unknown>, message: string): void;
  info(members: Record<string, unknown>, message: string): void;
  warn(members: Record<string, unknown>, message: string): void;
  error(members: Record<string, unknown>, message: string): void;
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
