/** Who is there: the team of Harbor, and those who use it. */

/** The team; the first one is its administrator. */
export const TEAM = [
  { key: 'Maya', name: 'Maya Lindqvist' },
  { key: 'Jonas', name: 'Jonas Weber' },
  { key: 'Priya', name: 'Priya Raman' },
  { key: 'Tomás', name: 'Tomás Herrera' },
  { key: 'Aiko', name: 'Aiko Tanaka' },
  { key: 'Samuel', name: 'Samuel Okafor' },
] as const;

/** The agent that helps the team, and whose behalf it acts on. */
export const AGENT = { name: 'Triage agent', owner: 'Priya' } as const;

/** Visitors; the first ones vote and write the most. */
export const VISITORS: readonly string[] = `
Luisa Ferreira, Kenji Watanabe, Amara Nwosu, Henrik Dahl, Chloé Marchand, Petra Novotná, Diego Salazar, Ingrid Solberg,
Farid Haddad, Siobhán O'Brien, Wanjiru Kamau, Matteo Ricci, Hana Kovács, Oluwaseun Adeyemi, Zofia Kowalczyk, Ravi Menon,
Elif Demir, Lars Nyström, Camila Rojas, Thabo Mokoena, Yuki Nakamura, Bram de Vries, Leila Rahimi, Pavel Dvořák,
Grace Mwangi, Nikolai Petrov, Ana Beatriz Souza, Callum Fraser, Mei-Ling Chen, Youssef El Amrani, Katarzyna Wójcik, Noah Becker,
Ximena Torres, Arjun Kapoor, Freja Mikkelsen, Omar Farouk, Giulia Conti, Sanna Virtanen, Kwame Mensah, Marta Vidal,
Tuấn Nguyễn, Rosa Delgado, Anders Holm, Nadia Benali, Jürgen Krause, Adaeze Obi, Piotr Zieliński, Soraya Karimi,
Mika Laine, Valentina Moretti, Hugo Lefèvre, Sunita Sharma, Emre Yılmaz, Clara Hoffmann, Tendai Moyo, Ikram Said,
Søren Kjær, Paula Giménez, Takumi Saito, Aoife Byrne, Rafael Monteiro, Zanele Dlamini, Milan Jovanović, Elena Popescu,
Jasper van Dijk, Fatima Zahra Idrissi, Kim Min-jun, Laura Schneider, Ahmed Mansour, Linnea Björk, Carlos Mendoza, Dorota Mazur,
Isabelle Fournier, Abdul Rahman, Tereza Horáková, Viktor Hansen, Nomvula Khumalo, Pedro Almeida, Ayşe Kaya, Simon Keller,
Lucía Fernández, Chinedu Eze, Maja Nilsson, Rohan Desai, Beatrix Szabó, Gabriel Costa, Sofie Vermeulen, Mehdi Tazi,
Natalia Ivanova, Ewan MacLeod, Akua Boateng, Franziska Vogel, Hiroshi Kimura, Inês Carvalho, Bilal Siddiqui, Astrid Lund,
Jakub Nowak, Mariana Castro, Olga Shevchenko, Daan Jansen, Salma Naser, Felix Brandt, Imani Otieno, Zoë Claes,
Andrei Ionescu, Carmen Ortega, Lukas Fischer, Parisa Ahmadi, Tiago Ramos, Helmi Korhonen, Deepa Iyer, Olivier Girard,
Emeka Okonkwo, Magdalena Król, Tobias Lindgren, Rania Khoury, Stefan Marković, Alice Beaumont, Jorge Paredes, Signe Østergaard,
Park Ji-woo, Benedikt Huber, Yara Haddad, Marek Černý, Teresa Pinto, Ifeoma Uche, Johan Eriksson, Sara Colombo,
Nuno Baptista, Li Wei, Eszter Tóth, Malik Diallo, Vera Smirnova, Cillian Murray, Ananya Rao, Ruben Peeters,
Silvia Romano, Kofi Asante, Agnieszka Lis, Martín Acosta, Hala Mahmoud, Rikke Jensen, Dmitri Volkov, Joana Reis,
Selin Aydın, Patrick Nolan, Lerato Ndlovu, Mateo Vargas, Elsa Holmberg, Quentin Roux`
  .split(',')
  .map((name) => name.trim());
