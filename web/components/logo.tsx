/** The logo: two sails on one hull. */
export function Logo({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" role="img" aria-label="Flotilla">
      <rect width="32" height="32" rx="7" fill="var(--mantine-color-tide-7)" />
      <path d="M15 6v13H7z" fill="#fff" />
      <path d="M17 10v9h7z" fill="#99e9f2" />
      <path d="M5 21h22l-3 5H8z" fill="#fff" />
    </svg>
  );
}
