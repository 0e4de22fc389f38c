import { destination, pino, stdSerializers } from 'pino';
import type { Log } from '../lib/log.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Opens the program's log: JSON lines on standard error. Standard output contains only the line that reports that the
 * program is ready. Writes are synchronous, so no entry is lost in a crash. Callers must not log secrets.
 */
export function openLog(level: LogLevel): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      serializers: { error: stdSerializers.err },
    },
    destination({ fd: 2, sync: true }),
  );
  return {
    debug: (members, message) => logger.debug(members, message),
    info: (members, message) => logger.info(members, message),
    warn: (members, message) => logger.warn(members, message),
    error: (members, message) => logger.error(members, message),
  };
}
