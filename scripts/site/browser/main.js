import { addCopyButtons } from './copy-buttons.js';
import { enableFieldTree } from './field-tree.js';
import { enableMenu, enableThemeButton } from './header.js';
import { enableSearch } from './search.js';
import { showVersions } from './versions.js';

enableThemeButton();
enableMenu();
enableSearch();
showVersions();
addCopyButtons();
enableFieldTree();
