import { type FieldError, forbiddenField, invalid, required } from '../../api/field-error.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { localCluster } from '../../api/naming.ts';
import { flagAt, textAt } from '../../lib/json-path.ts';
import type { RequestContext } from '../../registry/context.ts';
import { type Draft, defineResource, type StoredResource } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { writableSpec } from '../draft-spec.ts';
import { checkFieldRights } from '../field-rights.ts';
import { cutFromLastApplied } from '../last-applied.ts';
import { kubeconfigFault } from '../rules/kubeconfig-errors.ts';
import { ownerErrors } from '../rules/owner-errors.ts';

/** The sealed kubeconfig in the hidden part, and the purpose it is sealed for. */
export const hiddenKubeconfig = 'kubeconfig';
export const kubeconfigPurpose = 'cluster-kubeconfig';

/** Their paths below `/cluster/` could not be told from those of a cluster without a name in the path. */
const reservedNames = ['api', 'apis'];

const secretPaths = [['spec', 'kubeconfig']];

export function clusters({ sealer }: Pick<ManagementDependencies, 'sealer'>): StoredResource {
  const faults = new WeakMap<Draft, FieldError>();

  /** Takes the kubeconfig out of the object; what is kept is sealed. */
  function takeKubeconfig(draft: Draft): void {
    const spec = writableSpec(draft.object);
    const sent = spec.kubeconfig;
    delete spec.kubeconfig;
    cutFromLastApplied(draft.object, secretPaths);
    if (sent === undefined || sent === null || sent === '') {
      // Reached in another way from now on: the credentials have no more use.
      if (flagAt(spec, 'local') || flagAt(spec, 'networkPeer')) delete draft.hidden[hiddenKubeconfig];
      return;
    }
    const fault = typeof sent === 'string' ? kubeconfigFault(sent) : 'must be a string';
    if (typeof sent !== 'string' || fault !== undefined) {
      faults.set(draft, { type: 'FieldValueInvalid', field: 'spec.kubeconfig', message: `Invalid value: ${fault}` });
      return;
    }
    const kept = textAt(draft.hidden, hiddenKubeconfig);
    if (kept !== '' && sealer.open(kubeconfigPurpose, kept) === sent) return;
    draft.hidden[hiddenKubeconfig] = sealer.seal(kubeconfigPurpose, sent);
  }

  function errors(draft: Draft): FieldError[] {
    const { object, old } = draft;
    const name = object.metadata.name ?? '';
    const found = ownerErrors(object, 'spec.owner');
    const fault = faults.get(draft);
    if (fault !== undefined) found.push(fault);
    if (reservedNames.includes(name)) found.push(invalid('metadata.name', name, 'this name is reserved'));
    const isLocal = flagAt(object, 'spec', 'local');
    if (isLocal && name !== localCluster) {
      found.push(forbiddenField('spec.local', `the built-in cluster is ${localCluster}; there is no other`));
    }
    if (old !== undefined && isLocal !== flagAt(old.object, 'spec', 'local')) {
      found.push(invalid('spec.local', isLocal, 'field is immutable'));
    }
    const isPeer = flagAt(object, 'spec', 'networkPeer');
    const hasKubeconfig = textAt(draft.hidden, hiddenKubeconfig) !== '' || fault !== undefined;
    const ways = [isLocal, isPeer, hasKubeconfig].filter((way) => way).length;
    if (ways > 1) {
      found.push(forbiddenField('spec', 'a cluster is reached in one way: local, networkPeer or kubeconfig'));
    } else if (ways === 0) {
      found.push(required('spec.kubeconfig', 'give a kubeconfig, or set networkPeer for a cluster with an agent'));
    }
    return found;
  }

  return defineResource({
    ...clusterKind,
    hasStatus: true,
    gracePeriods: true,
    writeOnly: secretPaths,
    async prepare(draft: Draft, context: RequestContext) {
      await checkFieldRights(clusterKind, draft, context);
      takeKubeconfig(draft);
    },
    validate: errors,
  });
}
