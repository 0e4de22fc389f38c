/** The paths of the icons, drawn on a 24 by 24 grid with a stroke of 1.8. */
const paths = {
  fleet: 'M3 17h18l-2.5 4h-13zM11 4v10H5zM13 7v7h5z',
  clusters: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  spaces: 'M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M8 8h8v8H8z',
  projects: 'M3 7a2 2 0 0 1 2-2h4l2 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z',
  hosts: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01',
  templates: 'M4 4h16v5H4zM4 13h7v7H4zM15 13h5v7h-5z',
  keys: 'M8 20a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM11.5 11.5L20 3M16 7l3 3M13.5 9.5l2 2',
  users:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20a6 6 0 0 1 12 0M16 4.5a3.5 3.5 0 0 1 0 6M17.5 14.5A6 6 0 0 1 21 20',
  access: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM8.5 12l2.5 2.5 4.5-5',
  system: 'M4 12h3l2.5-6 4 12 2.5-6h4',
  audit: 'M6 3h9l4 4v14H6zM9 9h6M9 13h6M9 17h4',
  usage: 'M4 20V4M4 20h16M8 16l4-5 3 3 5-7',
  bell: 'M6 10a6 6 0 0 1 12 0v5l2 2H4l2-2zM10 20a2 2 0 0 0 4 0',
  plus: 'M12 5v14M5 12h14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 13l4 4 10-10',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L21 21',
  moon: 'M20 14a8 8 0 1 1-9-10 6.5 6.5 0 0 0 9 10z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1 1M17.4 17.4l1 1M5.6 18.4l1-1M17.4 6.6l1-1',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  upload: 'M12 20V9M7 13l5-5 5 5M4 4h16',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  down: 'M6 9l6 6 6-6',
  up: 'M6 15l6-6 6 6',
  terminal: 'M3 5h18v14H3zM7 9l3 3-3 3M12 15h5',
  log: 'M4 6h16M4 10h16M4 14h10M4 18h13',
  right: 'M9 6l6 6-6 6',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  refresh: 'M20 12a8 8 0 1 1-2.5-5.8M20 4v4h-4',
  signOut: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  share:
    'M8 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM22 5a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM22 19a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM8 11l8-5M8 13l8 5',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2',
  filter: 'M3 5h18l-7 8v6l-4 2v-8z',
  close: 'M6 6l12 12M18 6L6 18',
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon beside a label; hidden from screen readers. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
