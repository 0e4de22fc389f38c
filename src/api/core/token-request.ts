import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/schema-builder.ts';
import { authenticationGroup } from './reviews.ts';

const audiences = t.array(t.string(), { listType: 'atomic', description: 'The intended audiences of the token.' });

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
  description: 'Requests a token for a service account.',
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object(
          {
            audiences: t.optional(audiences),
            expirationSeconds: t.optional(
              t.integer({
                description:
                  'The requested lifetime in seconds, at least 600. The issued token may have a shorter one.',
              }),
            ),
            boundObjectRef: t.optional(
              t.object(
                {
                  kind: t.optional(t.string({ description: 'The kind of the object: Secret.' })),
                  apiVersion: t.optional(t.string({ description: 'The API version of the object.' })),
                  name: t.optional(t.string({ description: 'The name of the object.' })),
                  uid: t.optional(t.string({ description: 'The uid of the object, to bind to this exact object.' })),
                },
                {
                  description:
                    'The object that the token is bound to. The token becomes invalid when the object is deleted.',
                },
              ),
            ),
          },
          { description: 'The requested token.' },
        ),
      ),
      status: t.optional(
        t.object(
          {
            token: t.optional(t.string({ description: 'The token.' })),
            expirationTimestamp: t.optional(t.timestamp({ description: 'The time at which the token expires.' })),
          },
          { description: 'The result.' },
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
  description: 'Authenticates a token and returns its user.',
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object(
          {
            token: t.optional(t.string({ description: 'The token.' })),
            audiences: t.optional(audiences),
          },
          { description: 'The request to evaluate.' },
        ),
      ),
      status: t.optional(
        t.object(
          {
            authenticated: t.optional(t.boolean({ description: 'True if the token is valid.' })),
            user: t.optional(
              t.object(
                {
                  username: t.optional(t.string({ description: 'The name of the user.' })),
                  uid: t.optional(t.string({ description: 'The uid of the user.' })),
                  groups: t.optional(
                    t.array(t.string(), { listType: 'atomic', description: 'The groups of the user.' }),
                  ),
                  extra: t.optional(t.map(t.array(t.string()), { description: 'Additional attributes of the user.' })),
                },
                { description: 'The user of the token.' },
              ),
            ),
            audiences: t.optional(audiences),
            error: t.optional(t.string({ description: 'An error that occurred during the authentication.' })),
          },
          { description: 'The result.' },
        ),
      ),
    }),
  ),
};
