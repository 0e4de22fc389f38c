import { textAt } from '@flotilla/json';
import type { FieldError } from '../../api/field-error.ts';
import { type Kubeconfig, readKubeconfig } from '../../api/kubeconfig.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { ClusterDraft } from '../drafts.ts';
import { identifyCluster } from '../identify-cluster.ts';
import { redactLastApplied } from '../redact-last-applied.ts';
import { writableSpec } from '../writable-spec.ts';

/** The sealed kubeconfig in the hidden part, and its seal purpose. */
export const hiddenKubeconfig = 'kubeconfig';
export const kubeconfigPurpose = 'cluster-kubeconfig';
/** The unique ID of the connected cluster in the hidden part, once it is known. */
export const hiddenUid = 'clusterUID';

export const secretPaths = [['spec', 'kubeconfig']];

type Dependencies = Pick<ManagementDependencies, 'sealer' | 'state' | 'clock' | 'connect'>;

/** The kubeconfigs of clusters: taken out of each write, checked, and stored sealed. */
export class ClusterKubeconfigs {
  readonly #dependencies: Dependencies;
  readonly #faults = new WeakMap<ClusterDraft, FieldError>();
  /** Kubeconfigs that agents announce are written by the server itself and are not listed here. */
  readonly #sentByClient = new WeakSet<ClusterDraft>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** The error in the kubeconfig of this write. */
  faultOf(draft: ClusterDraft): FieldError | undefined {
    return this.#faults.get(draft);
  }

  isSentByClient(draft: ClusterDraft): boolean {
    return this.#sentByClient.has(draft);
  }

  /** Removes the kubeconfig from the object and stores it sealed. */
  async take(draft: ClusterDraft, context: RequestContext): Promise<void> {
    const { sealer } = this.#dependencies;
    const spec = writableSpec(draft.object);
    const { kubeconfig: sent = '' } = spec;
    delete spec.kubeconfig;
    redactLastApplied(draft.object, secretPaths);
    if (sent === '') {
      // The connection type changed, so the credentials are obsolete. A kubeconfig that an agent announced stays.
      const wasPeer = draft.old?.object.spec?.networkPeer ?? false;
      if (spec.local === true || (spec.networkPeer ?? false) !== wasPeer) {
        delete draft.hidden[hiddenKubeconfig];
        delete draft.hidden[hiddenUid];
      }
      return;
    }
    if (!context.system) this.#sentByClient.add(draft);
    const reject = (fault: string) =>
      this.#faults.set(draft, {
        type: 'FieldValueInvalid',
        field: 'spec.kubeconfig',
        message: `Invalid value: ${fault}`,
      });
    const { kubeconfig, fault } = readKubeconfig(sent);
    if (kubeconfig === undefined) return void reject(fault);
    const sealed = textAt(draft.hidden, hiddenKubeconfig);
    if (sealed !== '' && sealer.open(kubeconfigPurpose, sealed) === sent) return;
    const unusable = await this.#identify(kubeconfig, draft, context);
    if (unusable !== undefined) return void reject(unusable);
    draft.hidden[hiddenKubeconfig] = sealer.seal(kubeconfigPurpose, sent);
  }

  /** Records the identity of the cluster. Returns the error in the kubeconfig, `undefined` if there is none. */
  async #identify(kubeconfig: Kubeconfig, draft: ClusterDraft, context: RequestContext): Promise<string | undefined> {
    if (kubeconfig.insecureSkipTlsVerify === true || kubeconfig.server.startsWith('http:')) {
      context.warn(
        'spec.kubeconfig: the server is not verified; anyone who can intercept the connection gets the credentials',
      );
    }
    const { state, clock, connect } = this.#dependencies;
    if (connect === undefined) return undefined;
    const { uid, unreachableReason, kubeconfigError } = await identifyCluster(kubeconfig, {
      connect,
      clock,
      signal: context.signal,
    });
    if (kubeconfigError !== undefined) return kubeconfigError;
    const known = textAt(draft.old?.hidden, hiddenUid);
    const isInUse = known !== '' && state.instancesOn(draft.object.metadata.name ?? '') > 0;
    if (isInUse && uid !== '' && uid !== known) {
      return 'refers to another cluster than the one that virtual cluster instances run on; connect it under another name';
    }
    if (unreachableReason !== undefined && isInUse && !context.system) {
      return `cannot be verified now: ${unreachableReason}. Virtual cluster instances run on the cluster, so it must not be replaced by another one; try again when it is reachable`;
    }
    if (unreachableReason !== undefined) context.warn(`the cluster cannot be reached now: ${unreachableReason}`);
    // If the identity is not known now, the previous one stays until the cluster reports its own.
    if (uid !== '') draft.hidden[hiddenUid] = uid;
    return undefined;
  }
}
