#include "markings.h"

#include <algorithm>

namespace cover {

uint64_t signature_of(Tokens marking) {
    uint64_t result = 0;
    for (const Token &t : marking) result |= uint64_t(1) << (t.place & 63);
    return result;
}

Count total_of(Tokens marking) {
    Count result = 0;
    for (const Token &t : marking)
        if (__builtin_add_overflow(result, t.count, &result)) return OMEGA;
    return result;
}

bool is_below(Tokens a, Tokens b) {
    if (a.size() > b.size()) return false;
    size_t j = 0;
    for (const Token &t : a) {
        while (j < b.size() && b[j].place < t.place) j++;
        if (j == b.size() || b[j].place != t.place || b[j].count < t.count) return false;
        j++;
    }
    return true;
}

Count count_in(Tokens marking, Place place) {
    auto it = std::lower_bound(marking.begin(), marking.end(), place,
                               [](const Token &t, Place p) { return t.place < p; });
    return it != marking.end() && it->place == place ? it->count : 0;
}

void predecessor(Tokens marking, const Transition &t, Marking &result) {
    result.clear();
    size_t i = 0, given = 0, taken = 0;
    while (i < marking.size() || taken < t.pre.size()) {
        Place place = UINT32_MAX;
        if (i < marking.size()) place = marking[i].place;
        if (taken < t.pre.size()) place = std::min(place, t.pre[taken].place);
        Count count = 0;
        if (i < marking.size() && marking[i].place == place) count = marking[i++].count;
        while (given < t.post.size() && t.post[given].place < place) given++;
        if (given < t.post.size() && t.post[given].place == place) count = std::max<Count>(count - t.post[given].count, 0);
        if (taken < t.pre.size() && t.pre[taken].place == place) count = sum_of(count, t.pre[taken++].count);
        if (count > 0) result.push_back({place, count});
    }
}

Tokens Arena::store(Tokens marking) {
    if (marking.empty()) return {};
    if (marking.size() > CHUNK) {
        /* Keeps the last chunk, which may have room, at the end. */
        chunks.insert(chunks.begin(), std::make_unique<Token[]>(marking.size()));
        std::copy(marking.begin(), marking.end(), chunks.front().get());
        return {chunks.front().get(), marking.size()};
    }
    if (used + marking.size() > CHUNK) {
        chunks.push_back(std::make_unique<Token[]>(CHUNK));
        used = 0;
    }
    Token *where = chunks.back().get() + used;
    std::copy(marking.begin(), marking.end(), where);
    used += marking.size();
    return {where, marking.size()};
}

void Index::add(uint32_t id, Tokens marking) {
    if (id >= entries.size()) entries.resize(std::max<size_t>(id + 1, entries.size() * 2));
    entries[id] = {marking, true};
    present++;
    Key key{signature_of(marking), total_of(marking), id};
    listed.push_back(key);
    if (marking.empty()) {
        everywhere.push_back(key);
        return;
    }
    Place rarest = marking[0].place;
    for (const Token &t : marking) {
        if (above[t.place].size() < above[rarest].size()) rarest = t.place;
    }
    below[rarest].push_back(key);
    for (const Token &t : marking) above[t.place].push_back(key);
}

void Index::remove(uint32_t id) {
    if (!contains(id)) return;
    entries[id].present = false;
    present--;
}

template <class Found> void Index::scan_below(Tokens marking, Found found) {
    uint64_t outside = ~signature_of(marking);
    Count total = total_of(marking);
    auto scan = [&](std::vector<Key> &list) {
        size_t kept = 0;
        bool more = true;
        for (size_t i = 0; i < list.size(); i++) {
            const Key key = list[i];
            if (!entries[key.id].present) continue;
            list[kept++] = key;
            if (more && !(key.signature & outside) && key.total <= total && is_below(entries[key.id].marking, marking))
                more = found(key.id);
            if (!more && kept == i + 1) return false;
        }
        list.resize(kept);
        return more;
    };
    if (!scan(everywhere)) return;
    for (const Token &t : marking)
        if (!scan(below[t.place])) return;
}

template <class Found> void Index::scan_above(Tokens marking, Found found) {
    uint64_t inside = signature_of(marking);
    Count total = total_of(marking);
    std::vector<Key> *list = &listed;
    for (const Token &t : marking)
        if (above[t.place].size() < list->size()) list = &above[t.place];
    size_t kept = 0;
    bool more = true;
    for (size_t i = 0; i < list->size(); i++) {
        const Key key = (*list)[i];
        if (!entries[key.id].present) continue;
        (*list)[kept++] = key;
        if (more && !(inside & ~key.signature) && key.total >= total && is_below(marking, entries[key.id].marking))
            more = found(key.id);
        if (!more && kept == i + 1) return;
    }
    list->resize(kept);
}

uint32_t Index::find_below(Tokens marking) {
    uint32_t result = NONE;
    scan_below(marking, [&](uint32_t id) { return result = id, false; });
    return result;
}

uint32_t Index::find_above(Tokens marking) {
    uint32_t result = NONE;
    scan_above(marking, [&](uint32_t id) { return result = id, false; });
    return result;
}

std::vector<uint32_t> Index::all_below(Tokens marking) {
    std::vector<uint32_t> result;
    scan_below(marking, [&](uint32_t id) { return result.push_back(id), true; });
    return result;
}

std::vector<uint32_t> Index::all_above(Tokens marking) {
    std::vector<uint32_t> result;
    scan_above(marking, [&](uint32_t id) { return result.push_back(id), true; });
    return result;
}

std::vector<uint32_t> Index::all() const {
    std::vector<uint32_t> result;
    for (uint32_t id = 0; id < entries.size(); id++)
        if (entries[id].present) result.push_back(id);
    return result;
}

} // namespace cover
