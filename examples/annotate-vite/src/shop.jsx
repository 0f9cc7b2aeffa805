/** The whole page: a heading and the teas. */
import { Tea } from './tea.jsx';

const TEAS = [
  { name: 'Sencha', origin: 'Shizuoka, Japan', price: '8.40' },
  { name: 'Assam', origin: 'Brahmaputra valley, India', price: '6.20' },
  { name: 'Rooibos', origin: 'Cederberg, South Africa', price: '5.10' },
];

export function Shop() {
  return (
    <main>
      <h1>Three teas</h1>
      <div className="teas">
        {TEAS.map((tea) => (
          <Tea key={tea.name} {...tea} />
        ))}
      </div>
    </main>
  );
}
