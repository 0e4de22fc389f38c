import { hostname } from 'node:os';
import { connect } from 'node:tls';
import { auditLineTimestamp } from '../audit-line-matcher.ts';
import type { ForwardSettings } from './forward-settings.ts';
import {
  connectionError,
  ForwardError,
  type ForwardTarget,
  readTargetTls,
  sendMilliseconds,
} from './forward-target.ts';

/** Facility 13 (log audit) and severity 6 (informational). */
const priority = 13 * 8 + 6;
const defaultPort = 6514;

/**
 * Sends lines as syslog messages (RFC 5424) over TLS (RFC 5425). Syslog has no confirmation, so each batch has its own
 * connection. This server ends its side of the connection, and the target closes the connection after it has read
 * everything.
 */
export function syslogTarget(settings: ForwardSettings, milliseconds = sendMilliseconds): ForwardTarget {
  const { hostname: host, port } = new URL(settings.url);
  const address = host.replace(/^\[(.*)\]$/, '$1');
  return {
    async send(lines, signal) {
      const tls = await readTargetTls(settings);
      const bytes = Buffer.concat(lines.map(syslogFrame));
      await new Promise<void>((resolve, reject) => {
        const timeout = AbortSignal.timeout(milliseconds);
        const ending = AbortSignal.any([signal, timeout]);
        const socket = connect({
          host: address,
          port: port === '' ? defaultPort : Number(port),
          servername: /^[\d.]+$|:/.test(address) ? '' : address,
          ...tls,
        });
        let isClosedByTarget = false;
        let failure: unknown;
        const stop = () => socket.destroy();
        ending.addEventListener('abort', stop);
        if (ending.aborted) stop();
        socket.on('secureConnect', () => socket.end(bytes));
        socket.on('end', () => {
          isClosedByTarget = socket.writableFinished;
        });
        socket.on('error', (error) => {
          failure = error;
        });
        socket.on('close', () => {
          ending.removeEventListener('abort', stop);
          if (failure === undefined && isClosedByTarget && !ending.aborted) resolve();
          else if (timeout.aborted)
            reject(new ForwardError(`the target did not confirm within ${milliseconds / 1_000} seconds`));
          else if (failure === undefined) reject(new ForwardError('the target closed the connection too early'));
          else reject(connectionError(failure));
        });
        // A syslog server never sends data. If data arrives, the target is not a syslog server.
        socket.on('data', () => socket.destroy(new ForwardError('the target is not a syslog server')));
      });
    },
  };
}

/** Returns a line as a syslog message, preceded by its length (octet counting). */
export function syslogFrame(line: string): Buffer {
  const milliseconds = auditLineTimestamp(line);
  const time = milliseconds === undefined ? '-' : new Date(milliseconds).toISOString();
  const host =
    hostname()
      .replaceAll(/[^\x21-\x7e]/g, '')
      .slice(0, 255) || '-';
  const message = Buffer.from(`<${priority}>1 ${time} ${host} flotilla ${process.pid} audit - ${line}`);
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}
