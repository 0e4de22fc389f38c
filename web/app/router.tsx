import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { ErrorNotice } from '../components/error-notice.tsx';
import { LoadingIndicator } from '../components/loading-indicator.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { accessSearch } from '../pages/access/access-search.ts';
import { activitySearch } from '../pages/activity/activity-search.ts';
import { auditSearch } from '../pages/audit/audit-search.ts';
import { authorizeCliSearch, deviceSearch } from '../pages/cli-login/cli-login-search.ts';
import { offboardingSearch } from '../pages/offboarding/offboarding-search.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <PageHeader title="Page not found" about="No page exists at this address. Choose a page from the navigation." />
  ),
});

const getParentRoute = () => root;

/** The URL parameters of a page with tabs: the open tab, and the parameters of the list in that tab. */
interface DetailSearch extends ListSearch {
  readonly tab?: string | undefined;
}

function detailSearch(search: Record<string, unknown>): DetailSearch {
  return { ...listSearch(search), ...(typeof search.tab === 'string' ? { tab: search.tab } : {}) };
}

/** The URL parameters of a list: search text, sort order and filters. */
interface ListSearch {
  readonly q?: string | undefined;
  readonly sort?: string | undefined;
  readonly filter?: Readonly<Record<string, string>> | undefined;
}

/** Reads the URL parameters of a list. Only their types are checked here; the list itself checks the values. */
function listSearch({ q, sort, filter }: Record<string, unknown>): ListSearch {
  return {
    ...(typeof q === 'string' || typeof q === 'number' ? { q: String(q) } : {}),
    ...(typeof sort === 'string' ? { sort } : {}),
    ...(typeof filter === 'object' && filter !== null ? { filter: filter as Readonly<Record<string, string>> } : {}),
  };
}

/** The URL parameters of a list page on which users create objects in a dialog. */
interface CreatableListSearch extends ListSearch {
  /** Opens the dialog that creates an object. */
  readonly new?: true | undefined;
}

function creatableListSearch(search: Record<string, unknown>): CreatableListSearch {
  return { ...listSearch(search), ...(search.new === true ? { new: true } : {}) };
}

/** The URL parameters of the explorer: the open kind, namespace and object. */
export interface ExplorerSearch extends ListSearch {
  /** The kind as `group/version/plural`, for example `/v1/configmaps` in the core group. */
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** The part of the pod page: `logs` or `terminal`. By default, the page shows YAML and events. */
  readonly view?: string | undefined;
}

function insideSearch(search: Record<string, unknown>): ExplorerSearch {
  const text = (name: string) =>
    typeof search[name] === 'string' && search[name] !== '' ? { [name]: search[name] } : {};
  return { ...listSearch(search), ...text('kind'), ...text('namespace'), ...text('name'), ...text('view') };
}

/** The URL parameters of the page that creates an access key. */
interface NewKeySearch {
  /** The name of an existing key whose settings the form copies. */
  readonly like?: string | undefined;
  /** The owner: `User/name` or `Team/name`. */
  readonly owner?: string | undefined;
}

function newKeySearch({ like, owner }: Record<string, unknown>): NewKeySearch {
  return { ...(typeof like === 'string' ? { like } : {}), ...(typeof owner === 'string' ? { owner } : {}) };
}

/**
 * The URL parameters of the page that creates an instance: project, template, and, after the creation, the instance
 * name.
 */
interface CreateSearch {
  readonly project?: string | undefined;
  readonly template?: string | undefined;
  readonly created?: string | undefined;
}

function createSearch(search: Record<string, unknown>): CreateSearch {
  const text = (name: keyof CreateSearch) => {
    const value = search[name];
    return typeof value === 'string' || typeof value === 'number' ? { [name]: String(value) } : {};
  };
  return { ...text('project'), ...text('template'), ...text('created') };
}

const routes = [
  createRoute({
    getParentRoute,
    path: '/',
    component: lazyRouteComponent(() => import('../pages/fleet/fleet-page.tsx'), 'FleetPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/sign-in',
    component: lazyRouteComponent(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/virtual-clusters',
    validateSearch: listSearch,
    component: lazyRouteComponent(() => import('../pages/instances/instances-page.tsx'), 'InstancesPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/virtual-clusters/new',
    validateSearch: createSearch,
    component: lazyRouteComponent(() => import('../pages/instances/create-page.tsx'), 'CreatePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/virtual-clusters/$project/$name',
    validateSearch: detailSearch,
    component: lazyRouteComponent(() => import('../pages/instances/instance-page.tsx'), 'InstancePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/virtual-clusters/$project/$name/inside',
    validateSearch: insideSearch,
    component: lazyRouteComponent(() => import('../pages/inside/inside-page.tsx'), 'InsidePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/virtual-clusters/$project/$name/terminal',
    component: lazyRouteComponent(() => import('../pages/terminal/terminal-page.tsx'), 'TerminalPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/spaces',
    validateSearch: listSearch,
    component: lazyRouteComponent(() => import('../pages/instances/instances-page.tsx'), 'SpacesPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/spaces/new',
    validateSearch: createSearch,
    component: lazyRouteComponent(() => import('../pages/instances/create-page.tsx'), 'CreateSpacePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/spaces/$project/$name',
    validateSearch: detailSearch,
    component: lazyRouteComponent(() => import('../pages/instances/instance-page.tsx'), 'SpacePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/projects',
    validateSearch: creatableListSearch,
    component: lazyRouteComponent(() => import('../pages/projects/projects-page.tsx'), 'ProjectsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/projects/$project',
    validateSearch: detailSearch,
    component: lazyRouteComponent(() => import('../pages/projects/project-page.tsx'), 'ProjectPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/hosts',
    validateSearch: creatableListSearch,
    component: lazyRouteComponent(() => import('../pages/hosts/hosts-page.tsx'), 'HostsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/hosts/$cluster',
    validateSearch: detailSearch,
    component: lazyRouteComponent(() => import('../pages/hosts/host-page.tsx'), 'HostPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/templates',
    validateSearch: creatableListSearch,
    component: lazyRouteComponent(() => import('../pages/templates/templates-page.tsx'), 'TemplatesPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/templates/$template',
    validateSearch: detailSearch,
    component: lazyRouteComponent(() => import('../pages/templates/template-page.tsx'), 'TemplatePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/space-templates',
    validateSearch: creatableListSearch,
    component: lazyRouteComponent(() => import('../pages/templates/templates-page.tsx'), 'SpaceTemplatesPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/space-templates/$template',
    validateSearch: detailSearch,
    component: lazyRouteComponent(() => import('../pages/templates/template-page.tsx'), 'SpaceTemplatePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/keys',
    validateSearch: detailSearch,
    component: lazyRouteComponent(() => import('../pages/access-keys/access-keys-page.tsx'), 'AccessKeysPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/keys/new',
    validateSearch: newKeySearch,
    component: lazyRouteComponent(() => import('../pages/access-keys/create-key-page.tsx'), 'CreateKeyPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/keys/named/$key',
    validateSearch: detailSearch,
    component: lazyRouteComponent(() => import('../pages/access-keys/key-page.tsx'), 'KeyPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/users',
    validateSearch: creatableListSearch,
    component: lazyRouteComponent(() => import('../pages/people/users-page.tsx'), 'UsersPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/users/$user',
    validateSearch: detailSearch,
    component: lazyRouteComponent(() => import('../pages/people/user-page.tsx'), 'UserPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/teams',
    validateSearch: creatableListSearch,
    component: lazyRouteComponent(() => import('../pages/people/teams-page.tsx'), 'TeamsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/teams/$team',
    validateSearch: detailSearch,
    component: lazyRouteComponent(() => import('../pages/people/team-page.tsx'), 'TeamPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/offboarding',
    validateSearch: offboardingSearch,
    component: lazyRouteComponent(() => import('../pages/offboarding/offboarding-page.tsx'), 'OffboardingPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/effective-access',
    validateSearch: accessSearch,
    component: lazyRouteComponent(() => import('../pages/access/access-page.tsx'), 'AccessPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/system',
    component: lazyRouteComponent(() => import('../pages/system/system-page.tsx'), 'SystemPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/cli',
    component: lazyRouteComponent(() => import('../pages/cli/cli-page.tsx'), 'CliPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/authorize-app',
    component: lazyRouteComponent(() => import('../pages/authorize-app/authorize-app-page.tsx'), 'AuthorizeAppPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/usage',
    validateSearch: detailSearch,
    component: lazyRouteComponent(() => import('../pages/usage/usage-page.tsx'), 'UsagePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/activity',
    validateSearch: activitySearch,
    component: lazyRouteComponent(() => import('../pages/activity/activity-page.tsx'), 'ActivityPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/audit-log',
    validateSearch: auditSearch,
    component: lazyRouteComponent(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/authorize-cli',
    validateSearch: authorizeCliSearch,
    component: lazyRouteComponent(() => import('../pages/cli-login/authorize-cli-page.tsx'), 'AuthorizeCliPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/device',
    validateSearch: deviceSearch,
    component: lazyRouteComponent(() => import('../pages/cli-login/device-page.tsx'), 'DevicePage'),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  // The loading indicator adds 700 ms before it shows its text, so the text appears after one second.
  defaultPendingMs: 300,
  defaultPendingMinMs: 0,
  defaultPendingComponent: () => <LoadingIndicator message="Loading page" />,
  defaultErrorComponent: ({ error, reset }) => <ErrorNotice error={error} onRetry={reset} />,
});

/** Preloads all pages one after another, so users can open them even if the server becomes unavailable. */
export async function preloadPages(signal: AbortSignal): Promise<void> {
  for (const { options } of routes) {
    if (signal.aborted) return;
    const { component } = options as { readonly component?: { preload?(): Promise<void> } };
    await component?.preload?.();
  }
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
