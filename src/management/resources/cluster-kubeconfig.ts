import type { FieldError } from '../../api/field-error.ts';
import { type Kubeconfig, readKubeconfig } from '../../api/kubeconfig.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { ClusterDraft } from '../drafts.ts';
import { identifyCluster } from '../identify-cluster.ts';
import { redactLastApplied } from '../redact-last-applied.ts';
import { writableSpec } from '../writable-spec.ts';
import { hiddenClusterUid, hiddenKubeconfig, kubeconfigPurpose } from './cluster-hidden.ts';

export const clusterSecretPaths = [['spec', 'kubeconfig']];

type Dependencies = Pick<ManagementDependencies, 'sealer' | 'state' | 'clock' | 'connect'>;

/** Removes the kubeconfig from each written Cluster object, checks it, and stores it sealed. */
export class ClusterKubeconfigs {
  readonly #dependencies: Dependencies;
  readonly #faults = new WeakMap<ClusterDraft, FieldError>();
  /** Writes in which a client sent the kubeconfig. Kubeconfigs that an agent announces are written by the server. */
  readonly #sentByClient = new WeakSet<ClusterDraft>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns the error in the kubeconfig of a write. `undefined` if there is none. */
  faultOf(draft: ClusterDraft): FieldError | undefined {
    return this.#faults.get(draft);
  }

  isSentByClient(draft: ClusterDraft): boolean {
    return this.#sentByClient.has(draft);
  }

  /** Removes the kubeconfig from the object and stores it sealed in the hidden part. */
  async take(draft: ClusterDraft, context: RequestContext): Promise<void> {
    const { sealer } = this.#dependencies;
    const spec = writableSpec(draft.object);
    const { kubeconfig: sent = '' } = spec;
    delete spec.kubeconfig;
    redactLastApplied(draft.object, clusterSecretPaths);
    if (sent === '') {
      // The stored credentials are kept unless the connection type changes, because they are of no use for another
      // connection type.
      const wasPeer = draft.old?.object.spec?.networkPeer ?? false;
      if (spec.local === true || (spec.networkPeer ?? false) !== wasPeer) {
        delete draft.hidden[hiddenKubeconfig];
        delete draft.hidden[hiddenClusterUid];
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
    const sealed = draft.hidden[hiddenKubeconfig] ?? '';
    if (sealed !== '' && sealer.open(kubeconfigPurpose, sealed) === sent) return;
    const unusable = await this.#identify(kubeconfig, draft, context);
    if (unusable !== undefined) return void reject(unusable);
    draft.hidden[hiddenKubeconfig] = sealer.seal(kubeconfigPurpose, sent);
  }

  /** Stores the unique ID of the cluster. Returns the error in the kubeconfig. `undefined` if there is none. */
  async #identify(kubeconfig: Kubeconfig, draft: ClusterDraft, context: RequestContext): Promise<string | undefined> {
    if (kubeconfig.insecureSkipTlsVerify === true || kubeconfig.server.startsWith('http:')) {
      context.warn(
        'spec.kubeconfig: the server is not verified; anyone who can intercept the connection gets the credentials',
      );
    }
    const { state, clock, connect } = this.#dependencies;
    if (connect === undefined) return undefined;
    const { uid, unreachableReason, kubeconfigError } = await identifyCluster(kubeconfig, {
      // Only the server itself writes the kubeconfigs that agents announce.
      connect: (given) => {
        const isAgent = context.system && draft.object.spec?.networkPeer === true;
        return connect(given, isAgent ? draft.object.metadata.name : undefined);
      },
      clock,
      signal: context.signal,
    });
    if (kubeconfigError !== undefined) return kubeconfigError;
    const known = draft.old?.hidden?.[hiddenClusterUid] ?? '';
    const isInUse = known !== '' && state.instancesOn(draft.object.metadata.name ?? '') > 0;
    if (isInUse && uid !== '' && uid !== known) {
      // A system write is accepted even if the ID of the cluster differs. An agent that has lost its data must be able
      // to connect, and the status of the cluster then describes what to do next. The stored ID is kept, so the cluster
      // controller detects the difference.
      if (context.system) return undefined;
      return 'refers to another cluster than the one that virtual cluster instances run on; connect it under another name';
    }
    if (unreachableReason !== undefined && isInUse && !context.system) {
      return `cannot be verified now: ${unreachableReason}. Virtual cluster instances run on the cluster, so it must not be replaced by another one; try again when it is reachable`;
    }
    if (unreachableReason !== undefined) context.warn(`the cluster cannot be reached now: ${unreachableReason}`);
    // If the ID cannot be determined, the stored ID is kept until the cluster reports its ID.
    if (uid !== '') draft.hidden[hiddenClusterUid] = uid;
    return undefined;
  }
}
