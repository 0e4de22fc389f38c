import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/schema-builder.ts';
import { authenticationGroup } from './reviews.ts';

const audiences = t.array(t.string(), { listType: 'atomic', description: 'The intended audiences of the token.' });

/**
 * The kind of requests to `serviceaccounts/<name>/token`. The members of its schema are in the order of the Go structs.
 */
export const tokenRequestKind: ResourceKind = {
  group: authenticationGroup,
  version: 'v1',
  kind: 'TokenRequest',
  plural: 'tokenrequests',
  singular: 'tokenrequest',
  namespaced: true,
  builtIn: true,
  confidential: true,
  description: 'A request for a token of a service account.',
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object(
          {
            audiences: t.optional(audiences),
            expirationSeconds: t.optional(
              t.integer({
                description:
                  'The requested lifetime in seconds, at least 600. The lifetime of the issued token may be shorter.',
              }),
            ),
            boundObjectRef: t.optional(
              t.object(
                {
                  kind: t.optional(
                    t.string({
                      description:
                        'The kind of the object that the token is bound to. This server supports only Secret.',
                    }),
                  ),
                  apiVersion: t.optional(t.string({ description: 'The API version of the object.' })),
                  name: t.optional(t.string({ description: 'The name of the object.' })),
                  uid: t.optional(
                    t.string({
                      description:
                        'The uid of the object. If set, the request fails unless the existing object has this uid.',
                    }),
                  ),
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
  description: 'A request to authenticate a token. The response contains the user of the token.',
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
            error: t.optional(t.string({ description: 'The reason why the token could not be authenticated.' })),
          },
          { description: 'The result.' },
        ),
      ),
    }),
  ),
};
