/** Puts the shop on the page. */
import { createRoot } from 'react-dom/client';
import { Shop } from './shop.jsx';

createRoot(document.getElementById('root')).render(<Shop />);
