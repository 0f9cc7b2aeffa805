/** Owns the bar at the top: the organization, the search, the live state, the person. */
import { Search } from 'lucide-react';
import { Kbd } from '../ui/kbd.tsx';
import { LiveStatus } from './live-status.tsx';
import { OrganizationSwitcher } from './organization-switcher.tsx';
import { PersonMenu } from './person-menu.tsx';

/** The bar. */
export function TopBar({ onSearch, onHelp }: { readonly onSearch: () => void; readonly onHelp: () => void }) {
  return (
    <header className="top">
      <OrganizationSwitcher />
      <button type="button" className="top-search" onClick={onSearch}>
        <Search aria-hidden />
        <span className="grow truncate">Search or jump to …</span>
        <Kbd keys="mod+k" />
      </button>
      <LiveStatus />
      <PersonMenu onHelp={onHelp} />
    </header>
  );
}
