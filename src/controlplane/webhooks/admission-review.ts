import { randomUUID } from 'node:crypto';
import {
  getMember,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  parseJson,
  textAt,
  writeJson,
} from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { type StatusDetails, StatusError, type StatusReason } from '../../api/status.ts';
import { toPrintedForm } from '../../api/structs/printed-form.ts';
import { admissionRequest, withApiVersion } from '../policies/admission-request.ts';
import { type AdmittedWrite, oldObjectOf } from '../policies/policy-input.ts';
import { WebhookCallError } from './webhook-client.ts';
import type { Webhook } from './webhook-spec.ts';

const KIND = 'AdmissionReview';

/** The request of a webhook: an AdmissionReview. */
export interface ReviewRequest {
  readonly uid: string;
  readonly reviewVersion: string;
  body(): string;
}

/** The response of a webhook. */
export interface ReviewResponse {
  readonly allowed: boolean;
  /** The operations of a JSON patch; empty if the webhook changes nothing. */
  readonly patch: readonly JsonValue[];
  readonly status: JsonObject | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: ReadonlyMap<string, string>;
}

/** Returns the AdmissionReview of a write. `version` is the version of the object's kind that the webhook accepts. */
export function reviewRequest(hook: Webhook, write: AdmittedWrite, version: string): ReviewRequest {
  const reviewVersion = (hook.admissionReviewVersions ?? []).find((one) => one === 'v1' || one === 'v1beta1');
  if (reviewVersion === undefined) {
    throw new WebhookCallError('webhook does not accept known AdmissionReview versions (v1, v1beta1)');
  }
  const uid = randomUUID();
  const { resource, requestKind = resource, operation, draft } = write;
  const sent = (object: KubeObject | undefined): JsonValue => {
    if (object === undefined) return null;
    const versioned = withApiVersion(object, write, version);
    return (requestKind.builtIn === true ? toPrintedForm(versioned) : versioned) as JsonValue;
  };
  const review = () => ({
    kind: KIND,
    apiVersion: `admission.k8s.io/${reviewVersion}`,
    request: {
      uid,
      ...admissionRequest(write, version),
      object: sent(operation === 'DELETE' ? undefined : draft.object),
      oldObject: sent(oldObjectOf(write)),
    },
  });
  return { uid, reviewVersion, body: () => writeJson(review() as JsonObject) };
}

/** Reads the response of a webhook. Throws WebhookCallError if it is invalid. */
export function readReview(text: string, { uid, reviewVersion }: ReviewRequest, isMutating: boolean): ReviewResponse {
  const review = parsed(text);
  const response = getMember(review, 'response');
  if (!isJsonObject(response)) throw invalidResponse('webhook response was absent');
  if (reviewVersion === 'v1') {
    const sentUid = textAt(response, 'uid');
    if (sentUid !== uid) {
      throw invalidResponse(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(sentUid)}`);
    }
    const type = { apiVersion: textAt(review, 'apiVersion'), kind: textAt(review, 'kind') };
    if (type.apiVersion !== 'admission.k8s.io/v1' || type.kind !== KIND) {
      throw invalidResponse(
        `expected webhook response of admission.k8s.io/v1, Kind=${KIND}, got ${type.apiVersion}, Kind=${type.kind}`,
      );
    }
    checkPatchMembers(response, isMutating);
  }
  const status = getMember(response, 'status');
  return {
    allowed: getMember(response, 'allowed') === true,
    patch: isMutating ? patchIn(response) : [],
    status: isJsonObject(status) ? status : undefined,
    warnings: warningsIn(response),
    auditAnnotations: annotationsIn(response),
  };
}

function parsed(text: string): JsonObject {
  try {
    const { value } = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch {
    // The error does not quote the response, because the response may come from a program that is not a webhook.
  }
  throw new WebhookCallError("couldn't get version/kind; json parse error: the response is not a JSON object");
}

function invalidResponse(message: string): InvalidReviewError {
  return new InvalidReviewError(message);
}

/** Thrown for a response that is not a valid AdmissionReview. */
export class InvalidReviewError extends Error {
  override readonly name = 'InvalidReviewError';
}

function checkPatchMembers(response: JsonObject, isMutating: boolean): void {
  const hasPatch = textAt(response, 'patch') !== '';
  const type = getMember(response, 'patchType') ?? null;
  if (!isMutating) {
    if (hasPatch) throw invalidResponse('validating webhook may not return response.patch');
    if (type !== null) throw invalidResponse('validating webhook may not return response.patchType');
    return;
  }
  if (hasPatch && type === null) throw invalidResponse('webhook returned response.patch but not response.patchType');
  if (!hasPatch && type !== null) throw invalidResponse('webhook returned response.patchType but not response.patch');
  if (hasPatch && type !== 'JSONPatch') throw new WebhookCallError(`unsupported patch type ${JSON.stringify(type)}`);
}

function patchIn(response: JsonObject): readonly JsonValue[] {
  const encoded = textAt(response, 'patch');
  if (encoded === '') return [];
  try {
    const { value } = parseJson(Buffer.from(encoded, 'base64').toString('utf8'));
    if (Array.isArray(value)) return value;
  } catch {
    // A patch that cannot be parsed is reported below.
  }
  throw new WebhookCallError('received undecodable patch in webhook response: it is not a list of operations');
}

/**
 * The limits of the warnings and annotations in a webhook's response: the number of entries, and the characters of each
 * text.
 */
const MAX_ENTRIES = 100;
export const MAX_TEXT = 4_096;

function warningsIn(response: JsonObject): readonly string[] {
  const warnings = getMember(response, 'warnings');
  if (!Array.isArray(warnings)) return [];
  return warnings
    .filter((one) => typeof one === 'string')
    .slice(0, MAX_ENTRIES)
    .map((one) => one.slice(0, MAX_TEXT));
}

function annotationsIn(response: JsonObject): ReadonlyMap<string, string> {
  const annotations = getMember(response, 'auditAnnotations');
  if (!isJsonObject(annotations)) return new Map();
  const entries = Object.entries(annotations).slice(0, MAX_ENTRIES);
  return new Map(
    entries.flatMap(([key, value]) =>
      typeof value === 'string' ? [[key.slice(0, MAX_TEXT), value.slice(0, MAX_TEXT)] as const] : [],
    ),
  );
}

/** Returns the error of a write that a webhook denies. As in Kubernetes, the webhook chooses code, reason and details. */
export function denial(webhook: string, status: JsonObject | undefined): StatusError {
  const deniedBy = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const code = Number(getMember(status ?? {}, 'code') ?? 0);
  const message = cutText(status ?? {}, 'message');
  const reason = cutText(status ?? {}, 'reason');
  const details = detailsIn(getMember(status ?? {}, 'details'));
  const because = message || reason;
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: because === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${because}`,
    ...(reason === '' ? {} : { reason: reason as StatusReason }),
    ...(details === undefined ? {} : { details }),
    code: Number.isInteger(code) && code >= 400 && code <= 599 ? code : 400,
  });
}

function cutText(from: JsonValue, name: string): string {
  return textAt(from, name).slice(0, MAX_TEXT);
}

/** Returns the details of a status, without members of wrong types and without causes that exceed the limit. */
function detailsIn(details: JsonValue | undefined): StatusDetails | undefined {
  if (!isJsonObject(details)) return undefined;
  let length = 0;
  const texts = (from: JsonValue, names: readonly string[]) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const text = textAt(from, name).slice(0, MAX_TEXT - length);
        length += text.length;
        return text === '' ? [] : [[name, text]];
      }),
    );
  const { retryAfterSeconds } = details;
  const named = texts(details, ['name', 'group', 'kind', 'uid']);
  const causes = listAt(details, 'causes')
    .slice(0, MAX_ENTRIES)
    .map((cause) => texts(cause, ['reason', 'message', 'field']))
    .filter((cause) => Object.keys(cause).length > 0);
  return {
    ...named,
    ...(causes.length === 0 ? {} : { causes }),
    ...(Number.isInteger(retryAfterSeconds) ? { retryAfterSeconds: Number(retryAfterSeconds) } : {}),
  };
}
