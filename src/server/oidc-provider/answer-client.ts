import type { Exchange, Filter } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { readDistinctForm } from '../auth/oauth/form-body.ts';
import { OAuthError, withOAuthErrors } from '../auth/oauth/oauth-error.ts';
import type { OidcClient } from '../settings/oidc-provider-settings.ts';
import { admitClient, type ClientAuthenticationOptions } from './client-authentication.ts';

/**
 * Handles a form that an app sends. Reads the form, authenticates the client and writes the audit events. Requests that
 * are refused because of earlier failures are not audited, so that anonymous callers cannot fill the log.
 */
export async function answerClient(
  exchange: Exchange,
  audited: Filter,
  options: ClientAuthenticationOptions,
  answer: (client: OidcClient, form: ReadonlyMap<string, string>) => Promise<Reply>,
): Promise<Reply> {
  return await withOAuthErrors(async () => {
    const form = await readDistinctForm(exchange);
    const attempt = admitClient(exchange, form, options);
    const explain = (allowed: boolean, reason: string) => {
      exchange.decision = { allowed, reason: `request of the app "${attempt.claimedId}": ${reason}` };
    };
    return await audited(exchange, () =>
      withOAuthErrors(async () => {
        try {
          const client = await attempt.authenticate();
          if (client.secretFile !== undefined) attempt.succeed();
          const reply = await answer(client, form);
          attempt.succeed();
          explain(true, form.get('grant_type') ?? 'revocation');
          return reply;
        } catch (error) {
          if (error instanceof OAuthError) explain(false, `${error.message}${error.auditDetail}`);
          throw error;
        }
      }),
    );
  });
}
