import { type FieldError, forbiddenField, invalid, required } from '../../api/field-error.ts';
import { type Kubeconfig, readKubeconfig } from '../../api/kubeconfig.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import type { KubeObject } from '../../api/meta.ts';
import { cleanupFinalizer, localCluster } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { conflict } from '../../api/status.ts';
import { flagAt, textAt } from '../../lib/json-path.ts';
import type { RequestContext } from '../../registry/context.ts';
import { type Draft, defineResource, type StoredRecord, type StoredResource } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { writableSpec } from '../draft-spec.ts';
import { checkFieldRights } from '../field-rights.ts';
import { identifyCluster } from '../identify-cluster.ts';
import { cutFromLastApplied } from '../last-applied.ts';
import { ownerErrors } from '../rules/owner-errors.ts';

/** The sealed kubeconfig in the hidden part, and the purpose it is sealed for. */
export const hiddenKubeconfig = 'kubeconfig';
export const kubeconfigPurpose = 'cluster-kubeconfig';
/** Beside it, what tells the cluster at the other end from every other, as soon as it was asked. */
const hiddenUid = 'clusterUID';

/** Their paths below `/cluster/` could not be told from those of a cluster without a name in the path. */
const reservedNames = ['api', 'apis'];

const secretPaths = [['spec', 'kubeconfig']];

export function clusters(
  dependencies: Pick<ManagementDependencies, 'sealer' | 'state' | 'clock' | 'connect'>,
): StoredResource {
  const { sealer, state, clock, connect } = dependencies;
  const faults = new WeakMap<Draft, FieldError>();
  /** What an agent announced comes from the server itself. */
  const sentByClient = new WeakSet<Draft>();

  /** Takes the kubeconfig out of the object; what is kept is sealed. */
  async function takeKubeconfig(draft: Draft, context: RequestContext): Promise<void> {
    const spec = writableSpec(draft.object);
    const sent = spec.kubeconfig;
    delete spec.kubeconfig;
    cutFromLastApplied(draft.object, secretPaths);
    if (sent === undefined || sent === null || sent === '') {
      // Reached in another way from now on: the credentials have no more use. What an agent announced stays.
      if (flagAt(spec, 'local') || flagAt(spec, 'networkPeer') !== flagAt(draft.old?.object, 'spec', 'networkPeer')) {
        delete draft.hidden[hiddenKubeconfig];
        delete draft.hidden[hiddenUid];
      }
      return;
    }
    if (!context.system) sentByClient.add(draft);
    const refuse = (fault: string) =>
      faults.set(draft, { type: 'FieldValueInvalid', field: 'spec.kubeconfig', message: `Invalid value: ${fault}` });
    if (typeof sent !== 'string') return void refuse('must be a string');
    const { kubeconfig, fault } = readKubeconfig(sent);
    if (kubeconfig === undefined) return void refuse(fault);
    const kept = textAt(draft.hidden, hiddenKubeconfig);
    if (kept !== '' && sealer.open(kubeconfigPurpose, kept) === sent) return;
    const unusable = await identify(kubeconfig, draft, context);
    if (unusable !== undefined) return void refuse(unusable);
    draft.hidden[hiddenKubeconfig] = sealer.seal(kubeconfigPurpose, sent);
  }

  /** Notes which cluster it is. Gives what is wrong with the kubeconfig, where something is. */
  async function identify(kubeconfig: Kubeconfig, draft: Draft, context: RequestContext): Promise<string | undefined> {
    if (kubeconfig.insecureSkipTlsVerify === true || kubeconfig.server.startsWith('http:')) {
      context.warn('spec.kubeconfig: nobody checks who answers at this address, and whoever does gets the credentials');
    }
    if (connect === undefined) return undefined;
    const { uid, obstacle, fault } = await identifyCluster(kubeconfig, { connect, clock, signal: context.signal });
    if (fault !== undefined) return fault;
    const known = textAt(draft.old?.hidden, hiddenUid);
    const isInUse = known !== '' && state.instancesOn(draft.object.metadata.name ?? '') > 0;
    if (isInUse && uid !== '' && uid !== known) {
      return 'leads to another cluster than the one that virtual cluster instances run on; connect it under a name of its own';
    }
    if (obstacle !== undefined && isInUse && !context.system) {
      return `cannot be checked now: ${obstacle}. Virtual cluster instances run on the cluster, so another one must not take its place unseen; try again when it answers`;
    }
    if (obstacle !== undefined) context.warn(`the cluster cannot be reached now: ${obstacle}`);
    // What is not known now stays what it was until the cluster has been asked.
    if (uid !== '') draft.hidden[hiddenUid] = uid;
    return undefined;
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
    const ways = [isLocal, isPeer, hasKubeconfig && (!isPeer || sentByClient.has(draft))].filter((way) => way).length;
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
      keepHeld(draft, context);
      await takeKubeconfig(draft, context);
    },
    validate: errors,
    prepareStatus(draft) {
      const uid = textAt(draft.object, 'status', 'clusterUID');
      if (uid !== '') draft.hidden[hiddenUid] = uid;
    },
    claims,
    claimTaken: (_claim, holder, { object }) =>
      conflict(
        groupResourceOf(clusterKind),
        object.metadata.name ?? '',
        `it is the same cluster as ${JSON.stringify(holder)}, which is connected already`,
      ),
    prepareDelete(object) {
      if (state.instancesOn(object.metadata.name ?? '') > 0) hold(object);
    },
  });
}

/** One physical cluster is connected once: two objects would place, count and remove without knowing of each other. */
function claims({ hidden }: StoredRecord): readonly string[] {
  const uid = textAt(hidden, hiddenUid);
  return uid === '' ? [] : [uid];
}

/** A cluster on which instances run goes when they are gone: without it nobody could remove them. */
function hold(object: KubeObject): void {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(cleanupFinalizer)) object.metadata.finalizers = [...finalizers, cleanupFinalizer];
}

/** Only the server lets go of it. */
function keepHeld({ object, old }: Draft, { system }: RequestContext): void {
  const { deletionTimestamp, finalizers = [] } = old?.object.metadata ?? {};
  if (!system && deletionTimestamp !== undefined && finalizers.includes(cleanupFinalizer)) hold(object);
}
