import { useParams } from '@tanstack/react-router';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { AwakeInstancePage } from '../inside/awake-instance-page.tsx';

/** The commands and their parsers are loaded when the page is first opened. */
const KubectlConsole = lazyComponent(
  async () => (await import('./kubectl-console.tsx')).KubectlConsole,
  'Loading terminal',
);

/**
 * The page for kubectl commands in a virtual cluster. The browser sends the requests of the commands with the caller's
 * permissions.
 */
export function TerminalPage() {
  const place = useParams({ from: '/virtual-clusters/$project/$name/terminal' });
  return (
    <AwakeInstancePage {...place} title="Terminal">
      <KubectlConsole />
    </AwakeInstancePage>
  );
}
