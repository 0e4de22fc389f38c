/** The program's log. Field names come from the code; values never come from request bodies or credentials. */
export interface Log {
  debug(members: Record<string, unknown>, message: string): void;
  info(members: Record<string, unknown>, message: string): void;
  warn(members: Record<string, unknown>, message: string): void;
  error(members: Record<string, unknown>, message: string): void;
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
