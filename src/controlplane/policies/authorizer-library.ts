import { BOOL, opaque, STRING } from '../cel/cel-type.ts';
import type { AccessAnswer, AccessQuestion, Evaluation } from '../cel/evaluation.ts';
import { EvaluationError } from '../cel/meter.ts';
import { method, type Overload } from '../cel/overload.ts';
import { CelOpaque } from '../cel/value.ts';

export const AUTHORIZER = opaque('kubernetes.authorization.Authorizer');
const PATH_CHECK = opaque('kubernetes.authorization.PathCheck');
const GROUP_CHECK = opaque('kubernetes.authorization.GroupCheck');
export const RESOURCE_CHECK = opaque('kubernetes.authorization.ResourceCheck');
const DECISION = opaque('kubernetes.authorization.Decision');

const NOTHING: AccessQuestion = { verb: '', group: '', resource: '', subresource: '', namespace: '', name: '' };

/** A question that is being put together: `authorizer`, and what each method makes of it. */
class Question extends CelOpaque {
  readonly typeName: string;
  readonly asked: AccessQuestion;
  constructor(typeName: string, asked: AccessQuestion) {
    super();
    this.typeName = typeName;
    this.asked = asked;
  }
  equals(other: CelOpaque): boolean {
    return other === this;
  }
}

class Answer extends CelOpaque {
  readonly typeName = 'kubernetes.authorization.Decision';
  readonly answer: AccessAnswer;
  constructor(answer: AccessAnswer) {
    super();
    this.answer = answer;
  }
  equals(other: CelOpaque): boolean {
    return other === this;
  }
}

/** What the name `authorizer` stands for: questions about the caller. */
export function authorizerValue(): CelOpaque {
  return new Question('kubernetes.authorization.Authorizer', NOTHING);
}

/** What `authorizer.requestResource` stands for: questions about the caller and what the request is about. */
export function resourceCheckValue(about: Partial<AccessQuestion>): CelOpaque {
  return new Question('kubernetes.authorization.ResourceCheck', { ...NOTHING, ...about });
}

type WithText = readonly [Question, string];

function asking(typeName: string, change: (text: string) => Partial<AccessQuestion>) {
  return ([{ asked }, text]: WithText): Question => new Question(typeName, { ...asked, ...change(text) });
}

const CHECK = 'kubernetes.authorization.ResourceCheck';

/** Whether the caller, or a service account, may do something else. */
export const authorizerLibrary: readonly Overload[] = [
  method('path', 'authorizer_path', [AUTHORIZER, STRING], PATH_CHECK, ([{ asked }, path]: WithText) => {
    if (path === '') throw new EvaluationError('path must not be empty');
    return new Question('kubernetes.authorization.PathCheck', { ...asked, path });
  }),
  method(
    'group',
    'authorizer_group',
    [AUTHORIZER, STRING],
    GROUP_CHECK,
    asking('kubernetes.authorization.GroupCheck', (group) => ({ group })),
  ),
  method(
    'serviceAccount',
    'authorizer_serviceaccount',
    [AUTHORIZER, STRING, STRING],
    AUTHORIZER,
    ([{ asked }, namespace, name]: readonly [Question, string, string]) =>
      new Question('kubernetes.authorization.Authorizer', { ...asked, account: { namespace, name } }),
  ),
  method(
    'resource',
    'groupcheck_resource',
    [GROUP_CHECK, STRING],
    RESOURCE_CHECK,
    asking(CHECK, (resource) => ({ resource })),
  ),
  method(
    'subresource',
    'resourcecheck_subresource',
    [RESOURCE_CHECK, STRING],
    RESOURCE_CHECK,
    asking(CHECK, (subresource) => ({ subresource })),
  ),
  method(
    'namespace',
    'resourcecheck_namespace',
    [RESOURCE_CHECK, STRING],
    RESOURCE_CHECK,
    asking(CHECK, (namespace) => ({ namespace })),
  ),
  method(
    'name',
    'resourcecheck_name',
    [RESOURCE_CHECK, STRING],
    RESOURCE_CHECK,
    asking(CHECK, (name) => ({ name })),
  ),
  // Rights here never depend on selectors, so they change no answer.
  method(
    'fieldSelector',
    'resourcecheck_fieldselector',
    [RESOURCE_CHECK, STRING],
    RESOURCE_CHECK,
    ([check]: WithText) => check,
  ),
  method(
    'labelSelector',
    'resourcecheck_labelselector',
    [RESOURCE_CHECK, STRING],
    RESOURCE_CHECK,
    ([check]: WithText) => check,
  ),
  method('check', 'pathcheck_check', [PATH_CHECK, STRING], DECISION, answered),
  method('check', 'resourcecheck_check', [RESOURCE_CHECK, STRING], DECISION, answered),
  method('allowed', 'decision_allowed', [DECISION], BOOL, ([{ answer }]: readonly [Answer]) => answer.allowed),
  method('reason', 'decision_reason', [DECISION], STRING, ([{ answer }]: readonly [Answer]) => answer.reason),
  method('errored', 'decision_errored', [DECISION], BOOL, () => false),
  method('error', 'decision_error', [DECISION], STRING, () => ''),
];

function answered([{ asked }, verb]: WithText, { access }: Evaluation): Answer {
  if (access === undefined) throw new EvaluationError('authorizer is not available here');
  return new Answer(access({ ...asked, verb }));
}
