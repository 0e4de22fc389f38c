import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';

interface CreateDialogState {
  readonly isOpen: boolean;
  open(): void;
  close(): void;
}

/** The state of the dialog that creates an object on a list page. The URL parameter `new` opens the dialog. */
export function useCreateDialog(): CreateDialogState {
  const { new: isWanted }: { readonly new?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (isWanted !== true) return;
    setOpen(true);
    // Removes the parameter from the URL, so that a reload does not open the dialog again.
    void navigate({ to: '.', replace: true, search: (before) => ({ ...before, new: undefined }) });
  }, [isWanted, navigate]);
  return { isOpen, open: useCallback(() => setOpen(true), []), close: useCallback(() => setOpen(false), []) };
}
