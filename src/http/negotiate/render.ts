import type { Reply } from '../reply.ts';
import { indentJson } from './indent-json.ts';
import { mediaTypes, type NegotiatedForm } from './negotiate.ts';
import { yamlBody } from './yaml-body.ts';

/** Returns a response that contains the compact JSON in the negotiated format (rules NEG-19, NEG-22). */
export function renderReply(json: string, status: number, form: NegotiatedForm): Reply {
  if (form.format === 'yaml') {
    return { status, headers: { 'content-type': mediaTypes.yaml }, body: yamlBody(json) };
  }
  return {
    status,
    headers: { 'content-type': mediaTypes.json },
    body: form.pretty ? indentJson(json) : `${json}\n`,
  };
}
