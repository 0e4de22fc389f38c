/** The environment variables that the command line reads. docs/reference/cli.md is generated from this list. */
export const environmentMeanings: Readonly<Record<string, string>> = {
  FLOTILLA_URL: 'URL of the server; overrides the login',
  FLOTILLA_ACCESS_KEY: 'Access key; overrides the login',
  FLOTILLA_ID_TOKEN: 'Token of a CI job, for `login --workload-identity`',
  'ACTIONS_ID_TOKEN_REQUEST_URL, ACTIONS_ID_TOKEN_REQUEST_TOKEN':
    'Set by GitHub Actions; `login --workload-identity` requests the token of the job with them',
  FLOTILLA_CA_FILE: 'CA certificate to trust, in PEM format; overrides the login',
  FLOTILLA_PROJECT: 'Default project; overrides the login',
  FLOTILLA_CONTEXT: 'Login to use',
  FLOTILLA_API_WORD:
    'API word: the word in the names of the API (default: the word that the server reported at login, or `platform`); `start` and `agent` read it too',
  FLOTILLA_CONFIG:
    'File with the saved logins, mode 0600 (default: `$XDG_CONFIG_HOME/flotilla/config.json`, where `XDG_CONFIG_HOME` defaults to `~/.config`; on macOS below `~/Library/Application Support`, on Windows below `%APPDATA%`)',
  KUBECONFIG: 'Kubeconfig files; `connect` writes to the first one (default: `~/.kube/config`)',
  'HTTPS_PROXY, ALL_PROXY, NO_PROXY':
    'Proxy to the server, and the hosts that are reached without it; lower-case names work too',
  NODE_EXTRA_CA_CERTS: 'Additional CA certificates to trust, for servers without a configured CA',
  'KUBE_EDITOR, VISUAL, EDITOR': 'Editor for `edit`; the first variable that is set is used',
  BROWSER: 'Program that opens the page of a login (default: that of the operating system)',
  NO_COLOR: 'Disables colors if set to any value',
};
