#include <doctest/doctest.h>

#include <utility>

#include "support/composite_world.h"

namespace s3tug::sim {

TEST_SUITE("engine/composite_get") {
    TEST_CASE("a file is held against the checksum of its parts, whose sizes are asked for with the object pinned") {
        for (const auto& row :
             {std::pair(&uniform, 1U), std::pair(&uneven, 3U), std::pair(&deceptive, 3U), std::pair(&single, 0U)}) {
            const Cut* const cut = row.first;
            const unsigned looks = row.second;
            for (const bool ranged : {false, true}) {
                CAPTURE(cut->value);
                CAPTURE(ranged);
                CompositeWorld world(*cut, ranged);
                const engine::Outcome outcome = world.run(get_of("k", "/out"));
                REQUIRE_MESSAGE(outcome.ok(), (outcome.ok() ? "" : outcome.error->message));
                CHECK(world.files.files["/out"].bytes == text);
                CHECK(outcome.checksum == "crc32:" + std::string(cut->value));
                CHECK(outcome.size == text.size());
                CHECK(outcome.etag == world.store.objects["b/k"].etag);
                CHECK(world.network.count(wire::Op::head_object) == looks);
                for (const SeenRequest& seen : world.network.seen) {
                    if (asks_part(seen)) CHECK(seen.request.headers.find("if-match") == "\"" + outcome.etag + "\"");
                }
                CHECK(world.clean());
            }
        }
    }

    TEST_CASE("a bit that is another one when every size is told: all once more, then exit 65 and the old file") {
        for (const Cut* cut : {&uniform, &uneven, &deceptive, &single}) {
            for (const bool ranged : {false, true}) {
                CAPTURE(cut->value);
                CAPTURE(ranged);
                CompositeWorld world(*cut, ranged);
                world.store.objects["b/k"].bytes[13] ^= 1;
                const engine::Outcome outcome = world.run(get_of("k", "/out"));
                REQUIRE(!outcome.ok());
                CHECK(outcome.error->kind == ErrorKind::integrity);
                CHECK(outcome.error->message.starts_with("bytes did not match (checksum of the parts is crc32:"));
                CHECK(outcome.error->message.ends_with("the store says crc32:" + std::string(cut->value) + ")"));
                CHECK(world.files.files["/out"].bytes == "old");
                CHECK(world.clean());
            }
            CompositeWorld world(*cut, false);
            world.network.weather = [](std::size_t n, const SeenRequest&) {
                return n == 1 ? fate(Fate::Kind::flip) : Fate{};
            };
            const engine::Outcome outcome = world.run(get_of("k", "/out"));
            CHECK(outcome.ok());
            CHECK(world.files.files["/out"].bytes == text);
            CHECK(outcome.checksum == "crc32:" + std::string(cut->value));
        }
    }

    TEST_CASE("where parts have ETags of their own, sizes are asked for without a pin, and the whole with it") {
        for (const Cut* cut : {&uniform, &deceptive}) {
            for (const bool good : {true, false}) {
                CAPTURE(cut->value);
                CAPTURE(good);
                CompositeWorld world(*cut, true);
                world.store.parts_have_etags = true;
                if (!good) world.store.objects["b/k"].bytes[13] ^= 1;
                const engine::Outcome outcome = world.run(get_of("k", "/out"));
                REQUIRE(outcome.ok() == good);
                if (good) CHECK(outcome.checksum == "crc32:" + std::string(cut->value));
                if (!good) CHECK(outcome.error->kind == ErrorKind::integrity);
                // The one that is refused, then the first part or all of them and the whole.
                if (good) CHECK(world.network.count(wire::Op::head_object) == (cut == &uniform ? 2 : 5));
                for (const SeenRequest& seen : world.network.seen) {
                    const bool whole = seen.op == wire::Op::head_object && !asks_part(seen);
                    if (whole) CHECK(seen.request.headers.find("if-match").has_value());
                }
                CHECK(world.clean());
            }
        }
    }

    TEST_CASE("a disk that damages what it gets: only that range comes again, and the parts' sizes are not") {
        for (const Cut* cut : {&uniform, &uneven}) {
            CAPTURE(cut->value);
            CompositeWorld world(*cut, true);
            bool damaged = false;
            world.files.on_write = [&](std::string& bytes, uint64_t offset) {
                if (std::exchange(damaged, damaged || offset == 16)) return;
                if (damaged) bytes[16] ^= 1;
            };
            const engine::Outcome outcome = world.run(get_of("k", "/out"));
            REQUIRE(outcome.ok());
            CHECK(damaged);
            CHECK(world.files.files["/out"].bytes == text);
            CHECK(outcome.checksum == "crc32:" + std::string(cut->value));
            CHECK(world.network.count(wire::Op::head_object) == 3);
            CHECK(world.network.count(wire::Op::get_object) == 5);  // four ranges and one again
        }
    }

    TEST_CASE("a store that does not tell the sizes takes the comparison, not the object") {
        struct Row {
            const char* what;
            std::function<void(CompositeWorld&)> make;
        };
        const auto refusing = [](int status) {
            return [status](CompositeWorld& w) {
                w.network.weather = [status](std::size_t, const SeenRequest& s) {
                    return asks_part(s) ? headed(status) : Fate{};
                };
            };
        };
        const Row rows[] = {
            {"answers for the whole", [](CompositeWorld& w) { w.store.knows_part_number = false; }},
            {"denied", refusing(403)},
            {"bad request", refusing(400)},
            {"not allowed", refusing(405)},
            {"not implemented", refusing(501)},
            {"refuses what has no condition", refusing(412)},
        };
        for (const Row& row : rows) {
            for (const bool ranged : {false, true}) {
                CAPTURE(row.what);
                CAPTURE(ranged);
                CompositeWorld world(uniform, ranged);
                row.make(world);
                const engine::Outcome outcome = world.run(get_of("k", "/out"));
                REQUIRE_MESSAGE(outcome.ok(), (outcome.ok() ? "" : outcome.error->message));
                CHECK(world.files.files["/out"].bytes == text);
                CHECK(outcome.checksum.empty());
                CHECK(world.noted("not compared: only a checksum of parts is there"));
                CHECK(world.clean());
            }
        }
    }

    TEST_CASE("a store that cannot be asked now is no store that does not tell: the bytes are kept for a rerun") {
        for (const bool ranged : {false, true}) {
            for (const bool damaged : {false, true}) {
                CAPTURE(ranged);
                CAPTURE(damaged);
                CompositeWorld world(uniform, ranged);
                world.network.weather = [damaged](std::size_t n, const SeenRequest& seen) {
                    if (asks_part(seen)) return headed(503);
                    return damaged && n == 1 ? fate(Fate::Kind::flip) : Fate{};
                };
                const engine::Outcome outcome = world.run(get_of("k", "/out"));
                REQUIRE(!outcome.ok());
                CHECK(outcome.error->kind == ErrorKind::gave_up);
                CHECK(world.files.files["/out"].bytes == "old");
                CHECK(!world.noted("not compared"));
                world.network.weather = nullptr;
                const engine::Outcome again = world.run(get_of("k", "/out"));
                REQUIRE_MESSAGE(again.ok(), (again.ok() ? "" : again.error->message));
                CHECK(world.files.files["/out"].bytes == text);
                CHECK(again.checksum == "crc32:" + std::string(uniform.value));
                CHECK(world.clean());
            }
        }
    }

    TEST_CASE("a page of somebody else's, or a conflict, in place of a part's size is no word of the store") {
        for (const int answer : {200, 409}) {
            CAPTURE(answer);
            CompositeWorld world(deceptive, true);
            world.network.weather = [answer](std::size_t, const SeenRequest& seen) {
                if (seen.request.url.find("partNumber=2") == std::string::npos) return Fate{};
                Fate out = headed(answer);
                out.answer.headers.add("content-type", "text/html");
                return out;
            };
            CHECK(!world.run(get_of("k", "/out")).ok());
            CHECK(world.files.files["/out"].bytes == "old");
        }
    }

    TEST_CASE("a session or a clock that is refused at the look at a part costs one more look, not the comparison") {
        for (const char* part : {"=1", "=2", "=3"}) {
            for (const int answer : {400, 403}) {
                CAPTURE(part);
                CAPTURE(answer);
                CompositeWorld world(deceptive, false);
                world.credentials.session_token = "token";
                std::size_t looks = 0;
                world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                    const bool asked = seen.request.url.find(std::string("partNumber") + part) != std::string::npos;
                    return asked && looks++ == 0 ? headed(answer) : Fate{};
                };
                const engine::Outcome outcome = world.run(get_of("k", "/out"));
                CHECK(outcome.checksum == "crc32:" + std::string(deceptive.value));
                CHECK(looks == 2);
            }
        }
    }

    TEST_CASE("a 400 to a part is no expired session where the whole is told") {
        for (const char* out : {"/out", "-"}) {
            for (const bool expired : {false, true}) {
                CAPTURE(out);
                CAPTURE(expired);
                CompositeWorld world(uniform, false);
                world.credentials.session_token = "token";
                world.network.weather = [expired](std::size_t, const SeenRequest& seen) {
                    const bool head = seen.op == wire::Op::head_object;
                    return asks_part(seen) || (head && expired) ? headed(400) : Fate{};
                };
                const engine::Outcome outcome = world.run(get_of("k", out));
                CHECK(outcome.ok() == !expired);
                CHECK(world.noted("not compared") == !expired);
                if (expired) CHECK(outcome.error->kind == ErrorKind::credentials_refused);
            }
        }
    }

    TEST_CASE(
        "an object that is replaced or removed while its parts are asked for: what came is not placed as it was") {
        for (const Cut* cut : {&uniform, &uneven}) {
            for (const bool part_etags : {false, true}) {
                for (const bool removed : {false, true}) {
                    CAPTURE(cut->value);
                    CAPTURE(part_etags);
                    CAPTURE(removed);
                    CompositeWorld world(*cut, false);
                    world.store.parts_have_etags = part_etags;
                    bool done = false;
                    // Damaged on its way, and replaced by one of other bytes before anybody could tell.
                    world.network.weather = [&](std::size_t n, const SeenRequest& seen) {
                        if (asks_part(seen) && !std::exchange(done, true)) {
                            if (removed) {
                                world.store.objects.erase("b/k");
                            } else {
                                SimObject& other = world.store.objects["b/k"];
                                other.bytes = std::string(text.rbegin(), text.rend());
                                other.etag = "f-2";
                                other.parts = {15, 15};
                                other.composite = {};
                            }
                        }
                        return n == 1 ? fate(Fate::Kind::flip) : Fate{};
                    };
                    const engine::Outcome outcome = world.run(get_of("k", "/out"));
                    CHECK(outcome.ok() == !removed);
                    if (removed) CHECK(outcome.error->kind == ErrorKind::not_found);
                    CHECK(world.files.files["/out"].bytes ==
                          (removed ? "old" : std::string(text.rbegin(), text.rend())));
                    CHECK(world.clean());
                }
            }
        }
    }

    TEST_CASE("bytes in doubt: what a store never tells is noted, what is temporary ends the get for a rerun to tell") {
        for (const int answer : {403, 503}) {
            const bool ok = answer == 403;  // denied for good
            for (const bool ranged : {false, true}) {
                CAPTURE(answer);
                CAPTURE(ranged);
                CompositeWorld world(deceptive, ranged);
                world.network.weather = [answer](std::size_t, const SeenRequest& seen) {
                    return seen.request.url.find("partNumber=2") != std::string::npos ? headed(answer) : Fate{};
                };
                const engine::Outcome outcome = world.run(get_of("k", "/out"));
                CHECK(outcome.ok() == ok);
                CHECK(world.noted("not compared") == ok);
                CHECK(world.files.files["/out"].bytes == (ok ? text : "old"));
                if (ok) continue;
                CHECK(outcome.error->kind == ErrorKind::gave_up);
                world.network.weather = nullptr;
                const engine::Outcome again = world.run(get_of("k", "/out"));
                REQUIRE(again.ok());
                CHECK(again.checksum == "crc32:" + std::string(deceptive.value));
                CHECK(world.clean());
            }
        }
    }

    TEST_CASE("a look that fails for now is repeated, and a signal during one ends the get") {
        CompositeWorld world(uniform, true);
        std::size_t looks = 0;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            return asks_part(seen) && ++looks == 1 ? headed(503) : Fate{};
        };
        CHECK(world.run(get_of("k", "/out")).checksum == "crc32:" + std::string(uniform.value));
        CHECK(looks == 2);

        for (const bool ranged : {false, true}) {
            CompositeWorld stopped(uniform, ranged);
            stopped.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (!asks_part(seen)) return Fate{};
                stopped.stop = 15;
                return fate(Fate::Kind::hang);
            };
            const engine::Outcome outcome = stopped.run(get_of("k", "/out"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::interrupted);
            CHECK(stopped.files.files["/out"].bytes == "old");
        }
    }

    TEST_CASE("nothing is asked for with --checksum none") {
        CompositeWorld world(uniform, true);
        engine::Transfer item = get_of("k", "/out");
        item.checksum.reset();
        CHECK(world.run(item).ok());
        CHECK(world.network.count(wire::Op::head_object) == 0);
        CHECK(!world.noted("not compared"));
    }

    TEST_CASE("a file that cannot be read back for the comparison of its parts is not put in place") {
        for (const bool ranged : {false, true}) {
            CAPTURE(ranged);
            CompositeWorld world(uniform, ranged);
            world.files.trouble = [](std::string_view call) -> std::optional<Error> {
                if (call != "read back") return std::nullopt;
                return Error{ErrorKind::cannot_read, "the disk is broken"};
            };
            const engine::Outcome outcome = world.run(get_of("k", "/out"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::cannot_read);
            CHECK(world.files.files["/out"].bytes == "old");
        }
    }
}

}  // namespace s3tug::sim
