import { Dialog } from '../../components/form/dialog.tsx';
import { SimpleTable } from '../../components/list/simple-table.tsx';

const shortcuts = [
  ['Ctrl K or ⌘ K', 'Go to a page or object, or run an action'],
  ['/', 'The same, if no text field has the focus'],
  ['?', 'Show these shortcuts'],
  ['Tab, Shift Tab', 'Move to the next or previous control'],
  ['Escape', 'Close a dialog, a menu or a list'],
  ['Escape, then Tab', 'Leave the YAML editor, in which Tab indents'],
  ['Shift click', 'Select all rows between two check boxes'],
] as const;

/** A dialog with the keyboard shortcuts of the console. */
export function KeyboardHelp({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} size="lg">
      <SimpleTable
        label="Keyboard shortcuts"
        head={['Keys', 'Action']}
        rows={shortcuts.map(([keys, action]) => ({
          key: keys,
          cells: [
            <span key="keys" className="mono">
              {keys}
            </span>,
            action,
          ],
        }))}
      />
    </Dialog>
  );
}
