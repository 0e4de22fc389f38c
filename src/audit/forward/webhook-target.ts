import { createHmac } from 'node:crypto';
import { auditApiVersion, auditListKind } from '../../api/audit/audit-event.ts';
import { PostError, postBytes } from '../../lib/post-bytes.ts';
import type { ForwardSettings } from './forward-settings.ts';
import { ForwardError, type ForwardTarget, readTargetFile, readTargetTls, sendMilliseconds } from './forward-target.ts';

/** The header that contains the HMAC-SHA-256 of the body. */
const signatureHeader = 'X-Flotilla-Signature';

/** Sends lines in the bodies of POST requests. The target confirms them with any status code from 200 to 299. */
export function webhookTarget(settings: ForwardSettings, milliseconds = sendMilliseconds): ForwardTarget {
  return {
    async send(lines, signal) {
      const body = Buffer.from(bodyOf(settings, lines));
      const headers = {
        'content-type': settings.format === 'list' ? 'application/json' : 'application/x-ndjson',
        'user-agent': 'flotilla-audit',
        ...(await authHeaders(settings, body)),
      };
      const tls = await readTargetTls(settings);
      const url = new URL(settings.url);
      const { status } = await postBytes({ url, headers, body, tls, milliseconds, signal }).catch((error: unknown) => {
        throw error instanceof PostError ? new ForwardError(error.message) : error;
      });
      if (status < 200 || status > 299) throw new ForwardError(`the target responded with ${status}`);
    },
  };
}

function bodyOf({ format }: ForwardSettings, lines: readonly string[]): string {
  if (format === 'jsonl') return lines.map((line) => `${line}\n`).join('');
  const [kind, apiVersion] = [auditListKind, auditApiVersion].map((each) => JSON.stringify(each));
  return `{"kind":${kind},"apiVersion":${apiVersion},"metadata":{},"items":[${lines.join(',')}]}`;
}

async function authHeaders({ auth, secretFile }: ForwardSettings, body: Buffer): Promise<Record<string, string>> {
  if (auth === 'none') return {};
  const secret = (await readTargetFile('secretFile', secretFile))?.trim() ?? '';
  // Reject other characters, because they are not valid in a header, and the error of Node.js would contain the secret.
  if (!/^[\x21-\x7e]+$/.test(secret))
    throw new ForwardError('secretFile: must contain one line of visible ASCII characters');
  if (auth === 'bearer') return { authorization: `Bearer ${secret}` };
  return { [signatureHeader]: `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
}
