import './app/component-styles.ts';
import './app/style.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { styleNonce } from './data/session/page-settings.ts';

// Mantine's scroll lock reads the nonce for its style element from this global.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

const root = document.getElementById('root');
if (root === null) throw new Error('element #root not found in index.html');
createRoot(root).render(<App />);
