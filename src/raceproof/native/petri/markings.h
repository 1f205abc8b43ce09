/* Markings that are kept in large numbers, and an index that finds those below or above a given one. */
#ifndef RP_MARKINGS_H
#define RP_MARKINGS_H

#include "rp_cover.h"

#include <memory>
#include <span>

namespace cover {

using Tokens = std::span<const Token>;

/* More tokens than any number; only the forward search has it. */
constexpr Count OMEGA = INT64_MAX;

/* One bit for each place, modulo 64: if a <= b then the bits of a are among those of b. */
uint64_t signature_of(Tokens marking);
/* Never overflows: stops at OMEGA. */
Count total_of(Tokens marking);
bool is_below(Tokens a, Tokens b);
Count count_in(Tokens marking, Place place);

/* The least marking from which `t` leads to one that covers `marking`. */
void predecessor(Tokens marking, const Transition &t, Marking &result);

/* Token sequences that live as long as the arena. */
class Arena {
  public:
    Tokens store(Tokens marking);

  private:
    static constexpr size_t CHUNK = 1 << 14;
    std::vector<std::unique_ptr<Token[]>> chunks;
    size_t used = CHUNK;
};

/* A set of markings, each with a number of the caller's. Those that are removed leave the lists when a scan meets them. */
class Index {
  public:
    explicit Index(uint32_t places) : below(places), above(places) {}
    void add(uint32_t id, Tokens marking);
    void remove(uint32_t id);
    bool contains(uint32_t id) const { return id < entries.size() && entries[id].present; }
    size_t size() const { return present; }
    /* The number of a marking that is below or equal; NONE if there is none. */
    uint32_t find_below(Tokens marking);
    uint32_t find_above(Tokens marking);
    std::vector<uint32_t> all_below(Tokens marking);
    std::vector<uint32_t> all_above(Tokens marking);
    std::vector<uint32_t> all() const;

    static constexpr uint32_t NONE = UINT32_MAX;

  private:
    struct Entry {
        Tokens marking;
        bool present = false;
    };
    struct Key {
        uint64_t signature;
        Count total;
        uint32_t id;
    };
    template <class Found> void scan_below(Tokens marking, Found found);
    template <class Found> void scan_above(Tokens marking, Found found);

    std::vector<Entry> entries;
    /* below: each marking once, at its rarest place; above: at all its places. */
    std::vector<std::vector<Key>> below, above;
    std::vector<Key> everywhere; /* the empty marking is below all and has no place */
    std::vector<Key> listed;     /* all, for what is above the empty marking */
    size_t present = 0;
};

} // namespace cover

#endif
