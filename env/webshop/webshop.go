// Package webshop is a shop for players who read: they get an instruction, search, open products, choose options and
// buy, and are rewarded for how well what they bought fits. It behaves as WebShop's text environment does (Yao et al.
// 2022, princeton-nlp/WebShop), page for page: the same catalogue with the same seed gives the same goals, pages and
// rewards.
//
// A Catalogue is what is sold, a Shop a catalogue with a seed, and both are shared by all who play.
package webshop
