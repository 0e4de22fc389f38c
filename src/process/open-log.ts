import { destination, pino, stdSerializers } from 'pino';
import type { Log } from '../lib/log.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * The program's log: JSON lines on standard error, so that standard output contains only the ready line. Writes are
 * synchronous, so that entries before a crash are not lost. Callers must not pass secrets.
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
