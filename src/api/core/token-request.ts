import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/build.ts';
import { authenticationGroup } from './reviews.ts';

const audiences = t.array(t.string(), { listType: 'atomic', description: 'For whom the token is good.' });

/** Sent to `serviceaccounts/<name>/token`. Members are in the order of the Go structs. */
export const tokenRequestKind: ResourceKind = {
  group: authenticationGroup,
  version: 'v1',
  kind: 'TokenRequest',
  plural: 'tokenrequests',
  singular: 'tokenrequest',
  namespaced: true,
  builtIn: true,
  confidential: true,
  description: 'Asks for a token of a service account.',
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object(
          {
            audiences: t.optional(audiences),
            expirationSeconds: t.optional(
              t.integer({ description: 'How long it is to be good: 600 seconds at least. The answer may say less.' }),
            ),
            boundObjectRef: t.optional(
              t.object(
                {
                  kind: t.optional(t.string({ description: 'The kind of the object: Secret.' })),
                  apiVersion: t.optional(t.string({ description: 'Its API version.' })),
                  name: t.optional(t.string({ description: 'Its name.' })),
                  uid: t.optional(t.string({ description: 'Its uid, if it must be this very one.' })),
                },
                { description: 'The token ends when this object does.' },
              ),
            ),
          },
          { description: 'What is asked for.' },
        ),
      ),
      status: t.optional(
        t.object(
          {
            token: t.optional(t.string({ description: 'The token.' })),
            expirationTimestamp: t.optional(t.timestamp({ description: 'When it ends.' })),
          },
          { description: 'The answer.' },
        ),
      ),
    }),
  ),
};

export const tokenReviewKind: ResourceKind = {
  group: authenticationGroup,
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  singular: 'tokenreview',
  namespaced: false,
  builtIn: true,
  confidential: true,
  description: 'Asks whether a token is good, and whose it is.',
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object(
          {
            token: t.optional(t.string({ description: 'The token.' })),
            audiences: t.optional(audiences),
          },
          { description: 'What is asked.' },
        ),
      ),
      status: t.optional(
        t.object(
          {
            authenticated: t.optional(t.boolean({ description: 'Whether the token is good.' })),
            user: t.optional(
              t.object(
                {
                  username: t.optional(t.string({ description: 'The name of the user.' })),
                  uid: t.optional(t.string({ description: 'The uid of the user.' })),
                  groups: t.optional(
                    t.array(t.string(), { listType: 'atomic', description: 'The groups the user is in.' }),
                  ),
                  extra: t.optional(t.map(t.array(t.string()), { description: 'What else is known of the user.' })),
                },
                { description: 'Whose it is.' },
              ),
            ),
            audiences: t.optional(audiences),
            error: t.optional(t.string({ description: 'Why it could not be found out.' })),
          },
          { description: 'The answer.' },
        ),
      ),
    }),
  ),
};
