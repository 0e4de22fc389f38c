import { access, constants } from 'node:fs/promises';
import { cloneJson, isJsonObject, type JsonObject } from '@flotilla/json';
import { type Scope, scopeSchema, typedScope } from '../../api/management/v1/scope.ts';
import { prune } from '../../api/schema/prune.ts';
import { asSchema } from '../../api/schema/schema-builder.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { issuerProblem } from '../../auth/oidc/issuer-url.ts';
import { compileClaimRule } from '../../auth/workload/claim-rules.ts';
import type { WorkloadIssuer, WorkloadRule } from '../../auth/workload/workload-issuer.ts';
import { scopeErrors } from '../../management/rules/scope-errors.ts';
import { StartError } from '../../process/start-error.ts';
import { listSetting } from './setting-group.ts';
import type { SettingsReader } from './settings-reader.ts';

/**
 * The limits of the lifetime of a workload's access keys, in seconds. A removed rule has no effect once the longest
 * lifetime has passed.
 */
const leastTtl = 60;
const mostTtl = 3600;
const defaultTtl = 900;

/** The pattern of names, which become values of labels. */
const namePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export const workloadIdentitySetting = listSetting<WorkloadIssuer>({
  default: [],
  meaning:
    'issuers whose tokens workloads can exchange for short-lived access keys at `POST /auth/token`: CI systems and Kubernetes clusters',
  members: {
    name: 'lower-case letters, digits and -; required; the issuer in access keys and the audit log',
    issuer:
      'URL of the issuer, exactly as in the claim `iss`; required; `http://` is allowed only for loopback addresses; with `jwksFile`, it can be any text',
    audiences: 'the values of which the claim `aud` must contain one; default: the external URL of the server',
    jwksUri: 'URL of the key set; default: the one in the discovery document of the issuer',
    jwksFile: 'file with the key set, for issuers that the server cannot reach',
    caFile: 'CA certificates for connections to the issuer, in PEM format; default: those of the system',
    rules:
      'a list of maps; the first rule that matches applies; `name`: required; `when`: CEL expression over `claims`, required; `user`: user of the access keys, required; `scope`: scope of the access keys, as in `spec.scope` of an access key, required; `ttl`: lifetime of the access keys in seconds, from 60 to 3600, default 900',
  },
  entry: readIssuer,
});

function readIssuer(entry: SettingsReader): WorkloadIssuer {
  const name = entry.text('name') ?? '';
  if (!namePattern.test(name)) {
    throw new StartError(
      'every issuer under "auth.workloadIdentity" needs a "name" of lower-case letters, digits and -',
    );
  }
  const issuer = entry.text('issuer') ?? '';
  const [jwksUri, jwksFile, caFile] = [entry.text('jwksUri'), entry.text('jwksFile'), entry.text('caFile')];
  if (jwksUri !== undefined && jwksFile !== undefined) throw fault(name, 'must not have both "jwksUri" and "jwksFile"');
  // The server sends no requests to an issuer whose keys are in a file, so this issuer need not be a URL. Issuers of
  // virtual clusters are not URLs.
  const discovered = jwksFile === undefined || issuer === '' ? issuer : undefined;
  for (const [field, url] of [['issuer', discovered] as const, ['jwksUri', jwksUri] as const]) {
    const problem = url === undefined ? undefined : issuerProblem(url);
    if (problem !== undefined) throw fault(name, `needs another "${field}": it ${problem}`);
  }
  const audiences = entry.texts('audiences') ?? [];
  if (audiences.includes('')) throw fault(name, 'has an empty text in "audiences"');
  const rules = (entry.groups('rules') ?? []).map((rule) => readRule(rule, name));
  if (rules.length === 0) throw fault(name, 'needs "rules"; without one, it admits no workload');
  assertDistinct(rules, (twice) => fault(name, `has two rules with the name ${twice}`));
  return {
    name,
    issuer,
    audiences,
    ...(jwksUri === undefined ? {} : { jwksUri }),
    ...(jwksFile === undefined ? {} : { jwksFile }),
    ...(caFile === undefined ? {} : { caFile }),
    rules,
  };
}

function readRule(entry: SettingsReader, issuer: string): WorkloadRule {
  const name = entry.text('name') ?? '';
  if (!namePattern.test(name)) {
    throw fault(issuer, 'has a rule without a "name" of lower-case letters, digits and -');
  }
  const needed = (field: 'when' | 'user', example: string): string => {
    const text = entry.text(field) ?? '';
    if (text === '') throw fault(issuer, `has the rule ${name} without "${field}", such as ${example}`);
    return text;
  };
  const rule: WorkloadRule = {
    name,
    when: needed('when', 'claims.repository == "acme/shop"'),
    user: needed('user', 'ci-shop'),
    scope: readScope(entry, issuer, name),
    ttl: entry.integer('ttl', leastTtl, mostTtl) ?? defaultTtl,
  };
  entry.finish();
  return rule;
}

/**
 * Reads a scope as strictly as the API reads the scope of an access key. Also rejects members that the API would
 * ignore.
 */
function readScope(entry: SettingsReader, issuer: string, rule: string): Scope {
  const scope = entry.map('scope', scopeProblem);
  if (scope !== undefined) return typedScope(scope);
  const why = 'without it, the access keys would have all permissions of the user';
  throw fault(issuer, `has the rule ${rule} without "scope"; ${why}`);
}

function scopeProblem(scope: JsonObject): string | undefined {
  const schema = asSchema(scopeSchema);
  const schemaErrors = validateSchema(schema, scope, 'scope');
  const [wrong] = schemaErrors.length > 0 ? schemaErrors : scopeErrors(typedScope(scope), 'scope');
  if (wrong !== undefined) return `is not valid: ${wrong.field}: ${wrong.message}`;
  const copy = cloneJson(scope);
  const [unknown] = isJsonObject(copy) ? prune(schema, copy) : [];
  return unknown === undefined ? undefined : `is not valid: "${unknown}" is not a known field`;
}

/**
 * Performs the checks that need several entries or other files: checks of names, expressions and files. The external
 * URL of the server is the default of `audiences`.
 */
export async function completeWorkloadIssuers(
  issuers: readonly WorkloadIssuer[],
  externalUrl: string | undefined,
): Promise<readonly WorkloadIssuer[]> {
  assertDistinct(issuers, (twice) => new StartError(`"auth.workloadIdentity": two issuers have the name ${twice}`));
  const urls = issuers.map(({ issuer }) => issuer);
  for (const [index, { name, issuer }] of issuers.entries()) {
    if (urls.indexOf(issuer) !== index) throw fault(name, 'has the same "issuer" as another one; add its rules there');
  }
  return await Promise.all(issuers.map((issuer) => completeIssuer(issuer, externalUrl)));
}

async function completeIssuer(settings: WorkloadIssuer, externalUrl: string | undefined): Promise<WorkloadIssuer> {
  const { name, audiences, rules } = settings;
  if (audiences.length === 0 && externalUrl === undefined)
    throw fault(name, 'needs "audiences", because the server has no --external-url');
  for (const rule of rules) {
    const compiled = await compileClaimRule(rule);
    if ('problem' in compiled) throw fault(name, `has the rule ${rule.name} whose "when" ${compiled.problem}`);
  }
  for (const field of ['caFile', 'jwksFile'] as const) {
    const file = settings[field];
    if (file === undefined) continue;
    await access(file, constants.R_OK).catch((error: unknown) => {
      throw new StartError(`"auth.workloadIdentity": ${field} ${file} of the issuer ${name} cannot be read`, {
        cause: error,
      });
    });
  }
  return audiences.length > 0 ? settings : { ...settings, audiences: [externalUrl ?? ''] };
}

function assertDistinct(named: readonly { readonly name: string }[], error: (twice: string) => Error): void {
  const names = named.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw error(twice);
}

function fault(issuer: string, text: string): StartError {
  return new StartError(`"auth.workloadIdentity": the issuer ${issuer} ${text}`);
}
